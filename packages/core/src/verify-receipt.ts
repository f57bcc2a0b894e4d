/** The verification of receipts alone, which runs in Node and in a browser. */
export { explainRevocation } from "./receipts/explain-revocation.ts";
export { type ParsedKeys, type PublicKey, parsePublicKeys } from "./receipts/keys.ts";
export {
  explainReceiptFault,
  type ReceiptCheck,
  receiptChecks,
  type VerifiedReceipt,
  verifyReceipt,
} from "./receipts/verify.ts";
