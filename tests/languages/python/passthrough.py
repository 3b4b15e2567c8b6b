class OnModelCall:
    def handle(self, request, next, out):
        return next.run(request)
