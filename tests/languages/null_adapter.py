"""Prints, as WebAssembly text, an adapter that answers every call of WASI preview 1 and imports nothing.

With it any preview 1 module becomes a component that needs no WASI of its host. Output is discarded, there are
no files, the clock counts calls, and the random numbers are the same in each instance: enough for a runtime to start,
and of no other use. A guest asks the contract's own `log`, `clock` and `random`.
"""

I, L = "i32", "i64"
BAD_FILE, NOT_OFFERED = 8, 52

SIGNATURES = {
    "args_get": [I, I],
    "args_sizes_get": [I, I],
    "environ_get": [I, I],
    "environ_sizes_get": [I, I],
    "clock_res_get": [I, I],
    "clock_time_get": [I, L, I],
    "fd_advise": [I, L, L, I],
    "fd_allocate": [I, L, L],
    "fd_close": [I],
    "fd_datasync": [I],
    "fd_fdstat_get": [I, I],
    "fd_fdstat_set_flags": [I, I],
    "fd_fdstat_set_rights": [I, L, L],
    "fd_filestat_get": [I, I],
    "fd_filestat_set_size": [I, L],
    "fd_filestat_set_times": [I, L, L, I],
    "fd_pread": [I, I, I, L, I],
    "fd_prestat_get": [I, I],
    "fd_prestat_dir_name": [I, I, I],
    "fd_pwrite": [I, I, I, L, I],
    "fd_read": [I, I, I, I],
    "fd_readdir": [I, I, I, L, I],
    "fd_renumber": [I, I],
    "fd_seek": [I, L, I, I],
    "fd_sync": [I],
    "fd_tell": [I, I],
    "fd_write": [I, I, I, I],
    "path_create_directory": [I, I, I],
    "path_filestat_get": [I, I, I, I, I],
    "path_filestat_set_times": [I, I, I, I, L, L, I],
    "path_link": [I] * 7,
    "path_open": [I, I, I, I, I, L, L, I, I],
    "path_readlink": [I] * 6,
    "path_remove_directory": [I, I, I],
    "path_rename": [I] * 6,
    "path_symlink": [I] * 5,
    "path_unlink_file": [I, I, I],
    "poll_oneoff": [I, I, I, I],
    "proc_raise": [I],
    "sched_yield": [],
    "random_get": [I, I],
    "sock_accept": [I, I, I],
    "sock_recv": [I] * 6,
    "sock_send": [I] * 5,
    "sock_shutdown": [I, I],
}

OK = "(i32.const 0)"
NOTHING = f"(i32.store (local.get 0) {OK}) (i32.store (local.get 1) {OK}) {OK}"

# What is not here answers NOT_OFFERED.
BODIES = {
    "args_get": OK,
    "args_sizes_get": NOTHING,
    "environ_get": OK,
    "environ_sizes_get": NOTHING,
    "sched_yield": OK,
    "fd_close": OK,
    "fd_fdstat_set_flags": OK,
    "fd_prestat_get": f"(i32.const {BAD_FILE})",
    "fd_prestat_dir_name": f"(i32.const {BAD_FILE})",
    "clock_res_get": f"(i64.store (local.get 1) (i64.const 1000)) {OK}",
    "clock_time_get": f"""
        (global.set $now (i64.add (global.get $now) (i64.const 1000)))
        (i64.store (local.get 2) (global.get $now)) {OK}""",
    "poll_oneoff": f"(i32.store (local.get 3) {OK}) {OK}",
    "fd_read": f"(i32.store (local.get 3) {OK}) {OK}",
    # The standard streams are terminals with every right; nothing else is open.
    "fd_fdstat_get": f"""
        (if (i32.gt_u (local.get 0) (i32.const 2)) (then (return (i32.const {BAD_FILE}))))
        (i64.store (local.get 1) (i64.const 2))
        (i64.store offset=8 (local.get 1) (i64.const -1))
        (i64.store offset=16 (local.get 1) (i64.const -1)) {OK}""",
    # Says that all of it was written.
    "fd_write": f"""
        (local $written i32)
        (block $done (loop $each
          (br_if $done (i32.eqz (local.get 2)))
          (local.set $written (i32.add (local.get $written) (i32.load offset=4 (local.get 1))))
          (local.set 1 (i32.add (local.get 1) (i32.const 8)))
          (local.set 2 (i32.sub (local.get 2) (i32.const 1)))
          (br $each)))
        (i32.store (local.get 3) (local.get $written)) {OK}""",
    # Xorshift.
    "random_get": f"""
        (block $done (loop $each
          (br_if $done (i32.eqz (local.get 1)))
          (global.set $seed (i64.xor (global.get $seed) (i64.shl (global.get $seed) (i64.const 13))))
          (global.set $seed (i64.xor (global.get $seed) (i64.shr_u (global.get $seed) (i64.const 7))))
          (global.set $seed (i64.xor (global.get $seed) (i64.shl (global.get $seed) (i64.const 17))))
          (i32.store8 (local.get 0) (i32.wrap_i64 (global.get $seed)))
          (local.set 0 (i32.add (local.get 0) (i32.const 1)))
          (local.set 1 (i32.sub (local.get 1) (i32.const 1)))
          (br $each))) {OK}""",
}

print("""(module
(import "env" "memory" (memory 0))
(global $now (mut i64) (i64.const 1700000000000000000))
(global $seed (mut i64) (i64.const 88172645463325252))
(func (export "proc_exit") (param i32) unreachable)
;; Not of preview 1: the Go bindings stop the clock with it while the host allocates.
(func (export "adapter_monotonic_clock_set_paused") (param i32))""")
for name, parameters in SIGNATURES.items():
    body = BODIES.get(name, f"(i32.const {NOT_OFFERED})")
    print(f'(func (export "{name}") (param {" ".join(parameters)}) (result i32) {body})')
print(")")
