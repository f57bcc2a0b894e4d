import { promises as dns } from "node:dns";
import { arc } from "mailauth/lib/arc/index.js";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { findTokens } from "./reply-token.ts";

/** Looks up a DNS record. */
export type ResolveDns = (name: string, type: string) => Promise<string[][] | string[]>;

/** Creates a resolver that asks the DNS servers of this machine. */
export function createResolver(): ResolveDns {
  const resolver = new dns.Resolver({ timeout: 5_000, tries: 2 });
  return (name, type) => resolver.resolve(name, type) as Promise<string[][]>;
}

/** The dependencies of `proveSender`. */
export interface ProofDeps {
  /** The address for replies, without a token. */
  readonly address: string;
  /** The domains whose ARC seals Paraph trusts. */
  readonly arcSealers: readonly string[];
  readonly resolve: ResolveDns;
  readonly now: () => number;
}

/** Whether the domain of the sender confirms a mail. */
export type SenderProof =
  | {
      readonly kind: "dkim" | "arc";
      /** The sender's address. */
      readonly from: string;
      /** The tokens in recipients that the signature covers. */
      readonly signedTokens: readonly string[];
      /** The names of the headers that the signature covers, in lower case. */
      readonly signedHeaders: readonly string[];
    }
  | { readonly kind: "none"; readonly code: ProofFault };

/** Why the domain of the sender does not confirm a mail. */
export type ProofFault =
  | "several-senders"
  | "not-signed"
  | "signature-invalid"
  | "not-aligned"
  | "dns-failed";

type Signature = Awaited<ReturnType<typeof dkimVerify>>["results"][number];

/**
 * [TRUST 3] Returns whether the sender's domain signed the mail: one From header with one address, and a DKIM signature
 * over the whole body by that domain or a parent of it. If the signature did not survive a forwarding server, the seal of
 * a configured ARC sealer counts, if that sealer saw such a signature. SPF does not count, because it says nothing about
 * the content.
 */
export async function proveSender(raw: Buffer, deps: ProofDeps): Promise<SenderProof> {
  const options = { resolver: deps.resolve, strict: true, minBitLength: 1024, curTime: new Date(deps.now()) };
  const checked = await dkimVerify(raw, options);
  const [from] = checked.headerFrom;
  if (checked.fromFields !== 1 || checked.headerFrom.length !== 1 || from === undefined)
    return { kind: "none", code: "several-senders" };
  const domain = toDomain(from);
  const valid = checked.results.filter(isWholeAndValid);
  const aligned = valid.find(({ signingDomain }) => isAligned(domain, signingDomain));
  if (aligned) return { kind: "dkim", from, ...listSigned(aligned, deps) };
  if (deps.arcSealers.length > 0 && checked.arc?.chain) {
    const seal = await findTrustedSeal(checked.arc as ArcData, domain, options, deps);
    if (seal) return { kind: "arc", from, ...listSigned(seal, deps) };
  }
  return { kind: "none", code: explainFault(checked.results, valid) };
}

/** Returns whether a signature is valid and covers the whole body. A domain that tests DKIM confirms nothing yet. */
function isWholeAndValid({ status, canonBodyLengthLimited, signingHeaders }: Signature): boolean {
  return (
    status.result === "pass" &&
    canonBodyLengthLimited === false &&
    !("testing" in status && status.testing) &&
    (signingHeaders?.headers.some((line) => /^from\s*:/i.test(line)) ?? false)
  );
}

/** Returns whether the domain that signed is the sender's domain or a parent of it. */
function isAligned(sender: string, signer: unknown): boolean {
  if (typeof signer !== "string" || !signer.includes(".")) return false;
  const domain = signer.toLowerCase();
  return sender === domain || sender.endsWith(`.${domain}`);
}

function listSigned({ signingHeaders }: Signature, { address }: ProofDeps) {
  const lines = signingHeaders?.headers ?? [];
  return {
    signedTokens: lines
      .filter((line) => /^(to|cc)\s*:/i.test(line))
      .flatMap((line) => findTokens(line.replaceAll(/\r?\n[ \t]+/g, " "), address)),
    signedHeaders: lines.map((line) => line.slice(0, line.indexOf(":")).trim().toLowerCase()),
  };
}

type ArcData = Parameters<typeof arc>[0];

/** Returns the signature of the newest ARC set, if a configured sealer made it and saw an aligned DKIM signature. */
async function findTrustedSeal(
  data: ArcData,
  sender: string,
  options: NonNullable<Parameters<typeof arc>[1]>,
  { arcSealers }: ProofDeps,
): Promise<Signature | undefined> {
  const sealed = await arc(data, options);
  const { signature, authenticationResults } = sealed;
  if (sealed.status.result !== "pass" || !signature || !isWholeAndValid(signature)) return undefined;
  const newest = data.chain.at(-1) as ArcSet | undefined;
  const sealer = newest?.["arc-seal"]?.parsed?.d?.value?.toLowerCase();
  const isTrusted =
    sealer !== undefined &&
    arcSealers.some((one) => one.toLowerCase() === sealer) &&
    signature.signingDomain?.toLowerCase() === sealer;
  const seen: readonly ArcDkimResult[] = [authenticationResults?.dkim ?? []].flat();
  const sawSender = seen.some(
    ({ result, header }) => result === "pass" && isAligned(sender, header?.d ?? toDomain(header?.i)),
  );
  return isTrusted && sawSender ? signature : undefined;
}

interface ArcSet {
  readonly "arc-seal"?: { readonly parsed?: { readonly d?: { readonly value?: string } } };
}

interface ArcDkimResult {
  readonly result?: unknown;
  readonly header?: { readonly d?: unknown; readonly i?: unknown };
}

function toDomain(address: unknown): string {
  return typeof address === "string" ? address.slice(address.lastIndexOf("@") + 1).toLowerCase() : "";
}

function explainFault(results: readonly Signature[], valid: readonly Signature[]): ProofFault {
  if (valid.length > 0) return "not-aligned";
  if (results.some(({ status }) => status.result === "temperror")) return "dns-failed";
  return results.every(({ status }) => status.result === "none") ? "not-signed" : "signature-invalid";
}
