"""Serves one model with llama.cpp's own HTTP server. usage: serve.py MODEL PORT"""

import signal
import socket
import sys

import xllamacpp


def main(model: str, port: int) -> None:
    # The server shares a taken port without a word, and its clients would then reach either of the two.
    with socket.socket() as probe:
        probe.settimeout(2)
        if probe.connect_ex(("127.0.0.1", port)) == 0:
            sys.exit(f"error: port {port} of 127.0.0.1 is taken: end the program that listens there")

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {"smollm2"}
    params.hostnames, params.port = ["127.0.0.1"], port
    params.n_ctx, params.n_parallel = 8192, 1
    params.n_gpu_layers, params.use_jinja, params.offline = 0, True, True
    # Threads that wait for each other on busy cores are slower than one alone.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1

    server = xllamacpp.Server(params)  # returns when the model is loaded and the port is open
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it without a trace of calls
    print(f"listening on {server.listening_address}", flush=True)
    signal.pause()


main(sys.argv[1], int(sys.argv[2]))
