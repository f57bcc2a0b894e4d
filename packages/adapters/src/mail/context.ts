import type { ObserveContext } from "@paraph/core";
import type { EgressPolicy } from "../egress/egress-policy.ts";
import type { AccessTokens } from "../oauth/access-tokens.ts";
import type { MailboxConfig } from "./config.ts";

/** The context that the capabilities of one mailbox share. */
export interface MailContext {
  readonly name: string;
  readonly config: MailboxConfig;
  readonly egress: EgressPolicy;
  readonly tokens: AccessTokens;
  /** The certificates of the private authority, in PEM. */
  readonly ca: string | undefined;
}

/** The part of a call's context that a connection needs. */
export type CallContext = Pick<ObserveContext, "signal" | "credential">;
