import type { Caller } from "@paraph/core";
import type { Pool } from "pg";
import { withTenant } from "../database.ts";
import { type CallerRow, toCaller } from "./caller.ts";
import { generateSecret, parseSecret } from "./secret.ts";

/** The sessions of people, and the login links that start them. Paraph stores only the hashes of their secrets. */
export interface SessionStore {
  /**
   * Starts a session and returns its secret, or undefined if the person does not exist. It also ends `replaced`, the
   * previous session of the browser.
   */
  begin(tenant: string, principal: string, replaced?: string): Promise<string | undefined>;
  /** Finds a login link without using it up. Returns undefined if the link is unknown, expired or used. */
  findLink(link: string): Promise<LoginLink | undefined>;
  /** Starts a session with a login link. Returns undefined if the link is unknown, expired or used. */
  beginByLink(link: string, replaced?: string): Promise<string | undefined>;
  find(session: string): Promise<Caller | undefined>;
  end(session: string): Promise<void>;
  /**
   * Creates a login link that works once, within ten minutes. The link is for a user who can read this process's
   * output. Returns undefined if the person does not exist.
   */
  createLink(tenant: string, principal: string): Promise<string | undefined>;
}

/** A login link that still works. */
export interface LoginLink {
  readonly tenant: string;
  /** The person whom the link logs in. */
  readonly principal: string;
  readonly expiresAt: number;
}

/** The lifetimes of sessions. */
export interface SessionTimes {
  /** The time without use after which a session ends. */
  readonly idleMs: number;
  /** The maximum age of a session. At this age, the session ends even if it is in use. */
  readonly lastingMs: number;
}

const linkLifetimeMs = 10 * 60_000;

/** Creates the session store on PostgreSQL. */
export function createSessionStore(app: Pool, { idleMs, lastingMs }: SessionTimes): SessionStore {
  const ask = async <T>(text: string, values: unknown[]): Promise<T> =>
    (await app.query({ name: text, text, values })).rows[0].it;
  /**
   * Returns the hash of the replaced session, or null if no session of this tenant is replaced. A session of another
   * tenant does not end. The browser still loses that session's cookie, because the new cookie overwrites it.
   */
  const replacedIn = (tenant: string, session: string | undefined) => {
    const old = session === undefined ? undefined : parseSecret(session);
    return old?.tenant === tenant ? old.hash : null;
  };

  return {
    async begin(tenant, principal, replaced) {
      const { hash, text } = generateSecret(tenant);
      const values = [tenant, principal, hash, replacedIn(tenant, replaced), idleMs, lastingMs];
      return (await ask("select paraph.session_begin($1, $2, $3, $4, $5, $6) as it", values))
        ? text
        : undefined;
    },
    async findLink(link) {
      const secret = parseSecret(link);
      if (!secret) return undefined;
      const { tenant, hash } = secret;
      const [found] = await withTenant(app, tenant, (query) =>
        query<Pick<LoginLink, "principal" | "expiresAt">>(
          `select principal, paraph.millis(expires_at)::float8 as "expiresAt" from paraph.login_link
           where tenant = $1 and hash = $2 and used_at is null and expires_at > paraph.now()`,
          [tenant, hash],
        ),
      );
      return found && { tenant, ...found };
    },
    async beginByLink(link, replaced) {
      const secret = parseSecret(link);
      if (!secret) return undefined;
      const { hash, text } = generateSecret(secret.tenant);
      const old = replacedIn(secret.tenant, replaced);
      const values = [secret.tenant, secret.hash, hash, old, idleMs, lastingMs];
      return (await ask("select paraph.session_by_link($1, $2, $3, $4, $5, $6) as it", values))
        ? text
        : undefined;
    },
    async find(session) {
      const secret = parseSecret(session);
      if (!secret) return undefined;
      const row = await ask<CallerRow | null>("select paraph.session_find($1, $2) as it", [
        secret.tenant,
        secret.hash,
      ]);
      return toCaller(row, "session");
    },
    async end(session) {
      const secret = parseSecret(session);
      if (secret) await ask("select paraph.session_end($1, $2) as it", [secret.tenant, secret.hash]);
    },
    async createLink(tenant, principal) {
      const { hash, text } = generateSecret(tenant);
      const made = await ask("select paraph.login_link_make($1, $2, $3, $4) as it", [
        tenant,
        principal,
        hash,
        linkLifetimeMs,
      ]);
      return made ? text : undefined;
    },
  };
}
