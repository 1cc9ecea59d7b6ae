cpdef object reach(str name)
