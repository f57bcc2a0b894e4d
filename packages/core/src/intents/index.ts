export { grammarVersion, understandWithGrammar } from "./grammar.ts";
export {
  type IntentRecord,
  isIntentSealed,
  type SealedIntent,
  sealIntent,
  type UnderstoodBy,
} from "./intent-record.ts";
export { checkProposal, type IntentProposal, redactWords } from "./proposal.ts";
export type {
  DraftStep,
  IntentAnswer,
  IntentDraft,
  IntentQuestion,
  IntentRequest,
  LookupResult,
  ObjectLookup,
  Understanding,
} from "./understanding.ts";
