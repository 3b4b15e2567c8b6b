export const onModelCall = {
  handle(request, next, out) {
    return next.run(request);
  },
};
