import {
  ParaphError,
  type PublicKey,
  publicKeyFrom,
  type ServingRequest,
  type Signer,
  serviceDigest,
  signingKey,
} from "@paraph/core";
import { freshnessOf } from "./freshness.ts";
import { type Hosted, type Hosting, hostedFrom } from "./hosted.ts";
import { Turns } from "./turns.ts";

export interface ServingOptions {
  readonly capabilities: readonly Hosting[];
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
  readonly first?: (nonce: string, until: number) => Promise<boolean>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** What a service consists of, once its options have been read. */
export interface Service {
  readonly hosted: ReadonlyMap<string, Hosted>;
  readonly signer: Signer & { readonly publicKey: PublicKey };
  readonly callers: readonly PublicKey[];
  /** Over everything it offers: what an operator may pin. */
  readonly digest: string;
  readonly turns: Turns;
  credential(tenant: string, name: string): Promise<string>;
  /** Throws unless the request is new. */
  fresh(asked: ServingRequest): Promise<void>;
}

export async function serviceFrom(options: ServingOptions): Promise<Service> {
  const hosted = hostedFrom(options.capabilities);
  const signer = await signingKey(options.key);
  if (!signer) throw invalid("`key` is no Ed25519 private key in PKCS #8: make one with `newKeyPair()`");
  const callers = options.callers.map((key) => publicKeyFrom(key));
  if (callers.length === 0 || !callers.every((key) => key !== undefined))
    throw invalid("`callers` are the public keys of those who may ask, at least one");
  return {
    hosted,
    signer,
    callers,
    digest: serviceDigest([...hosted.values()].map(({ served }) => served)),
    turns: new Turns(),
    credential: options.credential ?? (() => Promise.reject(new Error("no credentials are given here"))),
    fresh: freshnessOf({ now: options.now ?? Date.now, first: options.first }),
  };
}

function invalid(fault: string): ParaphError {
  return new ParaphError("adapter-invalid", `This cannot be served yet:\n  - ${fault}`);
}
