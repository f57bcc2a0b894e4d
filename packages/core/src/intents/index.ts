export { grammarVersion, understandWithGrammar } from "./grammar.ts";
export type { IntentAnswer, IntentQuestion, IntentRequest, Understanding } from "./understanding.ts";
