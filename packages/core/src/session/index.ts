export { correlationId, isRetryable } from "../call.ts";
export { renderSessionSnapshot } from "./render-snapshot.ts";
export {
  buildSessionSnapshot,
  type SessionSnapshot,
  type SnapshotCall,
  type SnapshotObservation,
  type SnapshotQuestion,
  snapshotTokens,
} from "./snapshot.ts";
