namespace lyre {}
