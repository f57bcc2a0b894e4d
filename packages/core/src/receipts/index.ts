export {
  type ArchivedCall,
  type ArchiveFile,
  type ArchiveManifest,
  archiveInvalid,
  signManifest,
  type VerifiedManifest,
  verifyArchivedCall,
  verifyManifest,
} from "./archive.ts";
export { callCommitment } from "./call-commitment.ts";
export { CallLinks, linkTo } from "./call-links.ts";
export { canonical, commitment, digest, fingerprint, sameJson, sha256Hex } from "./digest.ts";
export { type Envelope, envelopeText } from "./dsse.ts";
export { isSignatureValid, type PublicKey, toPublicKey } from "./keys.ts";
export {
  findPasskeyFault,
  type PasskeyAlgorithm,
  type PasskeyProof,
  passkeyAlgorithms,
  passkeyChallenge,
} from "./passkey-proof.ts";
export {
  committedPayloads,
  isPerformedByAgent,
  listSignedEvents,
  type ReceiptBundle,
  type ReceiptPredicate,
  rebuildReceipt,
  receiptMediaType,
} from "./receipt.ts";
export type { Finding, Resolution } from "./resolution.ts";
export type { Sealer } from "./seal.ts";
export {
  type ChatAccount,
  type ChatInvitation,
  isChatAccountSealed,
  isChatInvitationSealed,
  sealChatAccount,
  sealChatInvitation,
} from "./sealed-chat-account.ts";
export { sealGrant } from "./sealed-grant.ts";
export { type EnrolledPasskey, isPasskeySealed, sealPasskey } from "./sealed-passkey.ts";
export { type VerifiedReceipt, verifyReceipt } from "./verify.ts";
