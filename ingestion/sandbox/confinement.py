"""What a parsing process may do: compute, and use the files that are open. Linux's own means, by ctypes.

- seccomp: an allow-list of system calls. No file is opened, no socket made, nothing executed, forked or signalled.
  Holds for every user, on x86-64 and arm64.
- Landlock: no file is opened. Holds for every user, on any processor, from Linux 5.13 on.
- Namespaces: no network. Holds for root, and for users where the system lets them make user namespaces.
- root becomes `nobody` before it parses.

Each is tried by itself, so that one that a kernel or a container forbids leaves the others standing.
"""

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Callable, Iterator

NOBODY = 65534
AF_UNIX = 1
CLONE_NEWUSER, CLONE_NEWNET, CLONE_THREAD = 0x10000000, 0x40000000, 0x10000
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 1, 38, 22, 2
LANDLOCK_CREATE_RULESET, LANDLOCK_RESTRICT_SELF, LANDLOCK_CREATE_RULESET_VERSION = 444, 446, 1
LANDLOCK_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # by version: how many kinds of access to files it knows

libc = ctypes.CDLL(None, use_errno=True)


def leave_network() -> bool:
    """A network namespace without interfaces, for this process and its children, where the system allows it."""
    return libc.unshare(CLONE_NEWNET if os.geteuid() == 0 else CLONE_NEWUSER | CLONE_NEWNET) == 0


def confine() -> list[str]:
    """Give up, for good, what a parser does not need. Returns the names of the means that hold."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    libc.prctl(PR_SET_PDEATHSIG, 9, 0, 0, 0)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    means: dict[str, Callable[[], bool]] = {"landlock": forbid_files, "seccomp": filter_system_calls}
    return [name for name, apply in means.items() if apply()]


def forbid_files() -> bool:
    """Landlock with every kind of access restricted and none granted."""
    version = libc.syscall(LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), LANDLOCK_CREATE_RULESET_VERSION)
    if version < 1:
        return False
    rights = ctypes.c_uint64((1 << LANDLOCK_RIGHTS.get(version, 16)) - 1)
    ruleset = libc.syscall(LANDLOCK_CREATE_RULESET, ctypes.byref(rights), ctypes.c_size_t(8), 0)
    if ruleset < 0:
        return False
    held: bool = libc.syscall(LANDLOCK_RESTRICT_SELF, ruleset, 0) == 0
    os.close(ruleset)
    return held


# --- seccomp ---------------------------------------------------------------------------------------

MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column of the tables, AUDIT_ARCH
ALLOWED = {
    "arch_prctl": (158, None), "brk": (12, 214), "clock_getres": (229, 114), "clock_gettime": (228, 113),
    "clock_nanosleep": (230, 115), "close": (3, 57), "dup": (32, 23), "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21), "epoll_pwait": (281, 22), "epoll_wait": (232, None), "eventfd2": (290, 19),
    "exit": (60, 93), "exit_group": (231, 94), "fcntl": (72, 25), "fstat": (5, 80), "futex": (202, 98),
    "getcwd": (79, 17), "getegid": (108, 177), "geteuid": (107, 175), "getgid": (104, 176), "getpid": (39, 172),
    "getppid": (110, 173), "getrandom": (318, 278), "getrusage": (98, 165), "gettid": (186, 178),
    "gettimeofday": (96, 169), "getuid": (102, 174), "lseek": (8, 62), "madvise": (28, 233),
    "membarrier": (324, 283), "mmap": (9, 222), "mprotect": (10, 226), "mremap": (25, 216), "munmap": (11, 215),
    "nanosleep": (35, 101), "newfstatat": (262, 79), "pipe2": (293, 59), "poll": (7, None), "ppoll": (271, 73),
    "pread64": (17, 67), "pwrite64": (18, 68), "read": (0, 63), "readv": (19, 65), "restart_syscall": (219, 128),
    "rseq": (334, 293), "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139),
    "sched_getaffinity": (204, 123), "sched_yield": (24, 124), "set_robust_list": (273, 99),
    "set_tid_address": (218, 96), "sigaltstack": (131, 132), "statx": (332, 291), "sysinfo": (99, 179),
    "uname": (63, 160), "write": (1, 64), "writev": (20, 66),
}  # fmt: skip
CLONE, CLONE3, TGKILL, PRLIMIT, SOCKETPAIR = (56, 220), (435, 435), (234, 131), (302, 261), (53, 199)

LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06  # BPF: ld word, jeq, jset, ret
ALLOW, FAIL = 0x7FFF0000, 0x00050000
NUMBER_AT, ARCHITECTURE_AT, FIRST_ARGUMENT_AT = 0, 4, 16  # in struct seccomp_data
Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, operand


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def filter_system_calls() -> bool:
    known = MACHINES.get(platform.machine())
    if known is None:
        return False
    instructions = list(seccomp_program(*known, pid=os.getpid()))
    packed = b"".join(struct.pack("HBBI", *instruction) for instruction in instructions)
    program = Program(len(instructions), packed)
    return bool(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) == 0)


def seccomp_program(column: int, architecture: int, pid: int) -> Iterator[Instruction]:
    """What is not allowed fails with EPERM; a clone that is unknown in its arguments with ENOSYS, as on old kernels."""
    yield LOAD, 0, 0, ARCHITECTURE_AT
    yield EQUAL, 1, 0, architecture
    yield RETURN, 0, 0, FAIL | errno.EPERM
    yield LOAD, 0, 0, NUMBER_AT
    for numbers in ALLOWED.values():
        number = numbers[column]
        if number is not None:
            yield EQUAL, 0, 1, number
            yield RETURN, 0, 0, ALLOW
    yield EQUAL, 0, 1, CLONE3[column]
    yield RETURN, 0, 0, FAIL | errno.ENOSYS
    yield from only_if(CLONE[column], ANY_BIT, CLONE_THREAD)  # threads, no processes
    yield from only_if(TGKILL[column], EQUAL, pid)  # abort()
    yield from only_if(PRLIMIT[column], EQUAL, 0)
    yield from only_if(SOCKETPAIR[column], EQUAL, AF_UNIX)  # a pipe to itself, as Rust's runtimes make one
    yield RETURN, 0, 0, FAIL | errno.EPERM


def only_if(number: int, test: int, operand: int) -> Iterator[Instruction]:
    """Allow the system call where its first argument passes the test."""
    yield EQUAL, 0, 4, number
    yield LOAD, 0, 0, FIRST_ARGUMENT_AT
    yield test, 0, 1, operand
    yield RETURN, 0, 0, ALLOW
    yield RETURN, 0, 0, FAIL | errno.EPERM
