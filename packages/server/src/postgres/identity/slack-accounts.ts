import type { ChatAccount, Principal } from "@paraph/core";
import { type Database, withTenant } from "../database.ts";
import { type PrincipalRow, toPrincipal } from "./caller.ts";
import type { RowChange } from "./people.ts";

/** A linked Slack account, with the names that Slack showed. */
export interface SlackAccount extends ChatAccount {
  readonly teamName: string;
  readonly accountName: string;
}

/** The Slack accounts of people, and the calls of messages in Slack. */
export interface SlackStore {
  /** Returns the account of a person. */
  findAccount(tenant: string, person: string): Promise<SlackAccount | undefined>;
  /** Links an account. Returns `taken` if another person has it. */
  link(tenant: string, account: SlackAccount & { readonly seal: string }): Promise<RowChange>;
  unlink(tenant: string, person: string): Promise<RowChange>;
  /** Returns the person who has the account, unless the person is disabled or frozen. */
  findPerson(
    tenant: string,
    team: string,
    account: string,
  ): Promise<{ readonly principal: Principal; readonly seal: string } | undefined>;
  /** Returns the call that a message in Slack is about, by the id that Slack gave the message. */
  findMessage(providerId: string): Promise<{ readonly tenant: string; readonly call: string } | undefined>;
}

/** Creates the store of Slack accounts on PostgreSQL. */
export function createSlackStore({ app, sweeper }: Pick<Database, "app" | "sweeper">): SlackStore {
  const queryOne = async <T>(text: string, values: readonly unknown[]): Promise<T> =>
    (await app.query(text, [...values])).rows[0].it;
  return {
    async findAccount(tenant, person) {
      const [row] = await withTenant(app, tenant, (query) =>
        query<SlackAccount>(
          `select team, account, person, team_name as "teamName", account_name as "accountName"
           from paraph.slack_account where tenant = $1 and person = $2`,
          [tenant, person],
        ),
      );
      return row;
    },
    link: (tenant, { team, account, person, teamName, accountName, seal }) =>
      queryOne("select paraph.slack_link($1, $2, $3, $4, $5, $6, $7) as it", [
        ...[tenant, team, account, person, teamName, accountName, seal],
      ]),
    unlink: (tenant, person) => queryOne("select paraph.slack_unlink($1, $2) as it", [tenant, person]),
    async findPerson(...values) {
      const found = await queryOne<{ principal: PrincipalRow; seal: string } | null>(
        "select paraph.slack_person($1, $2, $3) as it",
        values,
      );
      return found ? { principal: toPrincipal(found.principal), seal: found.seal } : undefined;
    },
    async findMessage(providerId) {
      const text =
        "select tenant, call from paraph.notice where channel = 'slack' and provider_id = $1 and call is not null limit 1";
      return (await sweeper.query<{ tenant: string; call: string }>(text, [providerId])).rows[0];
    },
  };
}
