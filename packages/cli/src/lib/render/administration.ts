import { escapeInvisible } from "@paraph/core/escape-invisible";
import type {
  BoundView,
  FreezeView,
  GrantView,
  KeyView,
  PasskeyView,
  PrincipalView,
} from "../api/administration-views.ts";
import type { CallView } from "../api/api-views.ts";
import { formatTimeAgo, formatTimeUntil } from "../terminal/format-time.ts";
import type { CliOutput, Paint } from "../terminal/output.ts";
import { formatTable, type TableColumn } from "../terminal/table.ts";
import { formatCommands } from "./commands.ts";

export function isDone(call: CallView): boolean {
  return call.outcome?.kind === "succeeded" && call.output !== undefined;
}

export interface AdminResult {
  /** The result in one sentence. */
  readonly sentence: string;
  /** The command that undoes it. */
  readonly undoCommand?: readonly [command: string, meaning: string];
}

/**
 * Prints the result of an administrative call, the call's id and, if there is one, the command that undoes the call.
 */
export function printDone(output: CliOutput, call: CallView, { sentence, undoCommand }: AdminResult): void {
  const paint = output.paintInfo;
  output.info(`${paint(["bold", "green"], "✔")} ${escapeInvisible(sentence)}  ${paint("dim", call.call)}`);
  if (undoCommand) output.info(`\n${formatCommands([undoCommand], paint)}`);
}

export function formatFreezes(freezes: readonly FreezeView[], paint: Paint, now: number): string {
  const columns: TableColumn<FreezeView>[] = [
    { title: "ID", text: ({ freeze }) => freeze },
    {
      title: "FROZEN",
      text: ({ kind, subject }) => `${kind} ${subject}`,
      flexible: true,
      style: () => "cyan",
    },
    { title: "BY", text: ({ by }) => by, flexible: true },
    { title: "SINCE", text: ({ at }) => formatTimeAgo(Date.parse(at), now) },
  ];
  return formatTable(columns, freezes, paint);
}

export function formatGrants(grants: readonly GrantView[], paint: Paint, now: number): string {
  const columns: TableColumn<GrantView>[] = [
    { title: "ID", text: ({ grant }) => grant },
    {
      title: "CAPABILITY",
      text: ({ capability }) => capability,
      style: ({ breakGlass }) => (breakGlass ? ["bold", "red"] : undefined),
    },
    { title: "PRINCIPAL", text: ({ principal = "any" }) => principal, flexible: true },
    { title: "CALLS LEFT", text: ({ countLeft }) => String(countLeft), right: true },
    {
      title: "EXPIRES",
      text: ({ expiresAt }) => formatTimeUntil(Date.parse(expiresAt), now),
      style: () => "yellow",
    },
    { title: "BOUNDS", text: ({ bounds }) => formatBounds(bounds), flexible: true },
    { title: "APPROVED BY", text: ({ people }) => people.map(({ by }) => by).join(", "), flexible: true },
  ];
  return formatTable(columns, grants, paint);
}

export function formatPrincipals(principals: readonly PrincipalView[], paint: Paint, now: number): string {
  const columns: TableColumn<PrincipalView>[] = [
    { title: "ID", text: ({ id }) => id },
    { title: "KIND", text: ({ kind }) => kind },
    { title: "STATUS", text: ({ state }) => state },
    { title: "LAST USED", text: ({ lastUsed }) => formatLastUse(lastUsed, now) },
    { title: "OWNER", text: ({ owner = "" }) => owner, flexible: true },
    { title: "GROUPS", text: ({ groups }) => groups.join(", "), flexible: true },
  ];
  return formatTable(columns, principals, paint);
}

function formatLastUse(at: string | undefined, now: number): string {
  return at === undefined ? "never" : formatTimeAgo(Date.parse(at), now);
}

export function formatKeys(keys: readonly KeyView[], paint: Paint, now: number): string {
  const columns: TableColumn<KeyView>[] = [
    { title: "ID", text: ({ key }) => key },
    { title: "PRINCIPAL", text: ({ principal }) => principal, flexible: true },
    { title: "SCOPES", text: ({ scopes }) => scopes?.join(" ") ?? "all", flexible: true },
    {
      title: "STATUS",
      text: (key) => formatKeyStatus(key, now),
      style: (key) => (formatKeyStatus(key, now).startsWith("active") ? "green" : "red"),
    },
    {
      title: "LAST USED",
      text: ({ lastUsed }) => formatLastUse(lastUsed, now),
    },
    { title: "LABEL", text: ({ label = "" }) => label, flexible: true },
  ];
  return formatTable(columns, keys, paint);
}

export function formatPasskeys(passkeys: readonly PasskeyView[], paint: Paint, now: number): string {
  const columns: TableColumn<PasskeyView>[] = [
    { title: "ID", text: ({ credential }) => credential.slice(0, 12) },
    { title: "PERSON", text: ({ person }) => person, flexible: true },
    { title: "FINGERPRINT", text: ({ fingerprint }) => fingerprint },
    { title: "ENROLLED", text: ({ createdAt }) => formatTimeAgo(Date.parse(createdAt), now) },
    {
      title: "LAST USED",
      text: ({ usedAt }) => formatLastUse(usedAt, now),
    },
    { title: "NAME", text: ({ label }) => label, flexible: true },
  ];
  return formatTable(columns, passkeys, paint);
}

function formatKeyStatus({ revokedAt, expiresAt }: KeyView, now: number): string {
  if (revokedAt !== undefined) return "revoked";
  if (expiresAt === undefined) return "active";
  const ends = Date.parse(expiresAt);
  return ends <= now ? "expired" : `active, expires ${formatTimeUntil(ends, now)}`;
}

function formatBounds(bounds: Readonly<Record<string, BoundView>>): string {
  const parts = Object.entries(bounds).map(([path, bound]) => `${path} ${JSON.stringify(bound)}`);
  return parts.length === 0 ? "none" : escapeInvisible(parts.join(", "));
}
