from lycosa.frontier._page_steps cimport PageSteps


cdef class Sending:
    cdef public Py_ssize_t in_flight, requests
    cdef readonly dict _rules
    cdef object _ports, _points, _scope, _budget, _log, _owner, _transport, _note_duration
    cdef object _on_answer, _on_lost, _user_agent, _largest_body, _largest_robots
    cdef str _key
    cdef bint _has_proxy, _is_conditional

    cpdef bint start_task(self, PageSteps partition, double now) except -1
    cdef object _next_permitted(self, PageSteps partition, double now)
    cdef object _verdict(self, PageSteps partition, rules, page, site)
    cdef object _rules_of(self, PageSteps partition, site)
    cdef int _send(self, PageSteps partition, task, reserved) except -1
