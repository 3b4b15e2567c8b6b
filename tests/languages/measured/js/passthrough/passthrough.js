// Calls the model, and does nothing else.
export function onModelCall(request, next, out) {
  return next.run(request);
}
