import type { Caller } from "@paraph/core";
import type { Pool } from "pg";
import { type CallerRow, toCaller } from "./caller.ts";
import { generateSecret, parseSecret } from "./secret.ts";

/** People's sessions, and links that begin one. What they are known by outside is never stored. */
export interface SessionStore {
  /** Undefined: there is no such person. `replaced`: the session the browser had, which ends. */
  begin(tenant: string, principal: string, replaced?: string): Promise<string | undefined>;
  /** Undefined: the link is unknown, over, or was used before. */
  beginByLink(link: string, replaced?: string): Promise<string | undefined>;
  find(session: string): Promise<Caller | undefined>;
  end(session: string): Promise<void>;
  /** For somebody who can read this process's output: good once, for ten minutes. Undefined: no such person. */
  createLink(tenant: string, principal: string): Promise<string | undefined>;
}

export interface SessionTimes {
  /** A session that nobody uses ends after this. */
  readonly idleMs: number;
  /** Every session ends after this. */
  readonly lastingMs: number;
}

const linkLifetimeMs = 10 * 60_000;

export function createSessionStore(app: Pool, { idleMs, lastingMs }: SessionTimes): SessionStore {
  const ask = async <T>(text: string, values: unknown[]): Promise<T> =>
    (await app.query({ name: text, text, values })).rows[0].it;
  /** Another tenant's session is left alone: the cookie is one, and it is overwritten. */
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
    async beginByLink(link, replaced) {
      const known = parseSecret(link);
      if (!known) return undefined;
      const { hash, text } = generateSecret(known.tenant);
      const old = replacedIn(known.tenant, replaced);
      const values = [known.tenant, known.hash, hash, old, idleMs, lastingMs];
      return (await ask("select paraph.session_by_link($1, $2, $3, $4, $5, $6) as it", values))
        ? text
        : undefined;
    },
    async find(session) {
      const known = parseSecret(session);
      if (!known) return undefined;
      const row = await ask<CallerRow | null>("select paraph.session_find($1, $2) as it", [
        known.tenant,
        known.hash,
      ]);
      return toCaller(row, "session");
    },
    async end(session) {
      const known = parseSecret(session);
      if (known) await ask("select paraph.session_end($1, $2) as it", [known.tenant, known.hash]);
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
