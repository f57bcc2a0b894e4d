import { type Capability, type CheckInput, ParaphError } from "@paraph/core";
import type { ConcurrencyQueue } from "../concurrency-queue.ts";
import { type CheckFinding, defineCheck, removeDuplicates, toVerdict } from "../define-check.ts";
import { formatInputPath, isSensitivePlace, maxCollectedFindings, walkTexts } from "../input-texts.ts";
import type { FindContract } from "../syntax.ts";
import { type EmailAddress, findAddresses } from "./email-address.ts";
import { HostList } from "./host-list.ts";
import { hasMixedScripts, isNetworkAddress, normalizeHost } from "./hostname.ts";

/** Options of `check.recipients`. */
export interface RecipientsOptions {
  /** The allowed recipients. */
  readonly allow: readonly string[];
}

/** Creates `check.recipients`. The configuration must allow every e-mail address that occurs in the input. */
export function createRecipientsCheck(
  { allow }: RecipientsOptions,
  contractOf: FindContract,
  turns: ConcurrencyQueue,
): Capability {
  const allowed = new AllowedRecipients(allow);
  return defineCheck(
    {
      name: "recipients",
      summary: "Compare every e-mail address in the input with the allowed recipients",
      timeout: "10s",
      judge: async (about) => toVerdict(findForbiddenRecipients(about, allowed, contractOf)),
    },
    turns,
  );
}

function findForbiddenRecipients(
  { capability, input }: CheckInput,
  allowed: AllowedRecipients,
  contractOf: FindContract,
): CheckFinding[] {
  const sensitive = contractOf(capability)?.sensitive ?? [];
  const findings: CheckFinding[] = [];
  for (const { place, text } of walkTexts(input)) {
    for (const address of findAddresses(text)) {
      const fault = allowed.findFault(address);
      if (!fault) continue;
      const path = formatInputPath(place);
      const whose = isSensitivePlace(place, sensitive)
        ? "An address"
        : `An address at ${formatHost(fault.host)}`;
      findings.push({ code: fault.code, path, sentence: `${whose} in \`${path}\` ${fault.why}.` });
      if (findings.length >= maxCollectedFindings) return removeDuplicates(findings);
    }
  }
  return removeDuplicates(findings);
}

/** Formats a host in its network form, which has no invisible characters. */
function formatHost(host: string | undefined): string {
  return host === undefined ? "an unreadable host" : `\`${host}\``;
}

interface RecipientFault {
  readonly code: string;
  readonly why: string;
  readonly host: string | undefined;
}

class AllowedRecipients {
  readonly #hosts: HostList;
  readonly #people: ReadonlySet<string>;

  constructor(allow: readonly string[]) {
    const setting = "checks.recipients.allow";
    this.#hosts = new HostList(
      allow.filter((entry) => entry.startsWith("@")).map((entry) => entry.slice(1)),
      setting,
    );
    this.#people = new Set(
      allow.filter((entry) => !entry.startsWith("@")).map((entry) => parseAllowedAddress(entry)),
    );
  }

  findFault({ local, domain }: EmailAddress): RecipientFault | undefined {
    const host = normalizeHost(domain);
    const fault = (code: string, why: string): RecipientFault => ({ code, why, host });
    if (domain.startsWith("[")) return fault("address-literal", "has an IP address instead of a host name");
    if (host === undefined) return fault("address-unreadable", "does not name a valid host");
    if (/[%!@]/.test(local))
      return fault("address-routed", "names a second host that would forward the mail");
    if (this.#hosts.allows(host) || this.#people.has(`${local.toLowerCase()}@${host}`)) return undefined;
    if (isNetworkAddress(host)) return fault("address-literal", "has an IP address instead of a host name");
    if (hasMixedScripts(host)) return fault("mixed-scripts", "mixes alphabets that look alike");
    const meant = this.#hosts.findLookalike(host);
    if (meant) return fault("lookalike", `could be mistaken for \`${meant}\``);
    return fault("recipient-not-allowed", "is not in `checks.recipients.allow`");
  }
}

function parseAllowedAddress(entry: string): string {
  const [, local, domain] = /^([^\s@]+)@([^\s@]+)$/.exec(entry) ?? [];
  const host = domain && normalizeHost(domain);
  if (!local || !host)
    throw new ParaphError(
      "capability-invalid",
      `\`checks.recipients.allow\`: write \`@example.com\`, \`@*.example.com\` or a whole address, not \`${entry}\`.`,
    );
  return `${local.toLowerCase()}@${host}`;
}
