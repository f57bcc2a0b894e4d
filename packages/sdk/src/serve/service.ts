import {
  digestService,
  ParaphError,
  type PublicKey,
  parsePublicKey,
  parseSigningKey,
  type ServingRequest,
  type Signer,
} from "@paraph/core";
import { CallQueue } from "./call-queue.ts";
import { type HostedCapability, hostCapabilities, type ServedCapability } from "./hosted-capability.ts";
import { createReplayProtection } from "./replay-protection.ts";

export interface ServingOptions {
  readonly capabilities: readonly ServedCapability[];
  /** This service's private key, as `newKeyPair` makes it, or as PEM. */
  readonly key: string;
  /** The public keys of those who may ask: Paraph's. */
  readonly callers: readonly string[];
  /** What `world.credential` answers: the service's secrets are its own. */
  readonly credential?: (tenant: string, name: string) => Promise<string>;
  /**
   * Where more than one process serves: whether this nonce is new to all of them, to be remembered until then
   * (milliseconds since 1970). Unless given, this process remembers for itself.
   */
  readonly rememberNonce?: (nonce: string, until: number) => Promise<boolean>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** What a service consists of, once its options have been read. */
export interface HostedService {
  readonly hosted: ReadonlyMap<string, HostedCapability>;
  readonly signer: Signer & { readonly publicKey: PublicKey };
  readonly callers: readonly PublicKey[];
  /** Over everything it offers: what an operator may pin. */
  readonly digest: string;
  readonly callQueue: CallQueue;
  credential(tenant: string, name: string): Promise<string>;
  /** Throws unless the request is new. */
  requireFresh(asked: ServingRequest): Promise<void>;
}

export async function createService(options: ServingOptions): Promise<HostedService> {
  const hosted = hostCapabilities(options.capabilities);
  const signer = await parseSigningKey(options.key);
  if (!signer)
    throw invalidOptionsError("`key` is no Ed25519 private key in PKCS #8: make one with `newKeyPair()`");
  const callers = options.callers.map((key) => parsePublicKey(key));
  if (callers.length === 0 || !callers.every((key) => key !== undefined))
    throw invalidOptionsError("`callers` are the public keys of those who may ask, at least one");
  return {
    hosted,
    signer,
    callers,
    digest: digestService([...hosted.values()].map(({ served }) => served)),
    callQueue: new CallQueue(),
    credential: options.credential ?? (() => Promise.reject(new Error("no credentials are given here"))),
    requireFresh: createReplayProtection({
      now: options.now ?? Date.now,
      rememberNonce: options.rememberNonce,
    }),
  };
}

function invalidOptionsError(fault: string): ParaphError {
  return new ParaphError("adapter-invalid", `This cannot be served yet:\n  - ${fault}`);
}
