// Puts `!` behind the text of the last message, and calls the model.
export function onModelCall(request, next, out) {
  const last = request.messageCount() - 1;
  const message = request.message(last);
  const block = message.content.at(-1);
  if (block?.tag === "text") block.val += "!";
  request.replaceMessage(last, message);
  return next.run(request);
}
