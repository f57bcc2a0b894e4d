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

/** The options for serving capabilities. */
export interface ServingOptions {
  readonly capabilities: readonly ServedCapability[];
  /** The service's private key, either as `createKeyPair` returns it or as PEM. */
  readonly key: string;
  /** The public keys of the Paraph servers that may call this service. */
  readonly callers: readonly string[];
  /** Returns a credential for the code of a capability. Paraph never receives the service's secrets. */
  readonly credential?: (tenant: string, name: string) => Promise<string>;
  /**
   * Stores the nonce until the given time (milliseconds since 1970) and returns whether it is new to all processes. A
   * service that runs in several processes needs this function (default: each process remembers its own nonces).
   */
  readonly rememberNonce?: (nonce: string, until: number) => Promise<boolean>;
  /** Returns the current time in milliseconds since 1970. */
  readonly now?: () => number;
}

/** A service, created from its validated options. */
export interface HostedService {
  readonly hosted: ReadonlyMap<string, HostedCapability>;
  readonly signer: Signer & { readonly publicKey: PublicKey };
  readonly callers: readonly PublicKey[];
  /** The digest over all served contracts. An operator may pin it. */
  readonly digest: string;
  readonly callQueue: CallQueue;
  credential(tenant: string, name: string): Promise<string>;
  /** Rejects a request that is old or was seen before. */
  requireFresh(asked: ServingRequest): Promise<void>;
}

/** Validates the options and creates the service. Throws if a key or a capability is invalid. */
export async function createService(options: ServingOptions): Promise<HostedService> {
  const hosted = hostCapabilities(options.capabilities);
  const signer = await parseSigningKey(options.key);
  if (!signer)
    throw invalidOptionsError(
      "`key` is not an Ed25519 private key in PKCS #8; create one with `createKeyPair()`",
    );
  const callers = options.callers.map((key) => parsePublicKey(key));
  if (callers.length === 0 || !callers.every((key) => key !== undefined))
    throw invalidOptionsError("`callers` must contain at least one public key, and every key must be valid");
  return {
    hosted,
    signer,
    callers,
    digest: digestService([...hosted.values()].map(({ served }) => served)),
    callQueue: new CallQueue(),
    credential:
      options.credential ?? (() => Promise.reject(new Error("the serving option `credential` is not set"))),
    requireFresh: createReplayProtection({
      now: options.now ?? Date.now,
      rememberNonce: options.rememberNonce,
    }),
  };
}

function invalidOptionsError(fault: string): ParaphError {
  return new ParaphError("adapter-invalid", `The serving options are invalid:\n  - ${fault}`);
}
