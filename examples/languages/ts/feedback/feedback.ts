// Asks the model again, with feedback, while its answer lacks what it must contain.
import { log, user } from "cepa";
import type { ModelNext, ModelRequest, ModelResponse, OnModelCall } from "cepa";

interface Config {
  "must-contain": string;
  attempts?: number;
}

export default class Feedback implements OnModelCall {
  private readonly wanted: string;
  private readonly attempts: number;

  constructor(config: Config) {
    this.wanted = config["must-contain"];
    this.attempts = config.attempts ?? 2;
  }

  onModelCall(request: ModelRequest, next: ModelNext): ModelResponse {
    let response = next.run(request.clone());
    for (let attempt = 2; attempt <= this.attempts; attempt++) {
      // An answer with tool calls is not the last word: the results come first.
      if (response.text().includes(this.wanted) || response.toolCalls().length > 0) break;
      log.info(`feedback: attempt ${attempt}`);
      request.pushMessage(response.message());
      request.pushMessage(user(`Your answer must contain "${this.wanted}". Answer again.`));
      response = next.run(request.clone());
    }
    return response;
  }
}
