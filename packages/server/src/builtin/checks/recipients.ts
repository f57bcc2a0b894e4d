import { type Capability, type CheckInput, ParaphError } from "@paraph/core";
import { type Address, addressesIn } from "./addresses.ts";
import { HostList } from "./allow-list.ts";
import { defineCheck, distinct, type Finding, passedUnless } from "./define-check.ts";
import { isAddress, mixesScripts, normalHost } from "./hostname.ts";
import type { ContractOf } from "./syntax.ts";
import { enough, isSensitive, pathOf, textsIn } from "./texts.ts";
import type { Turns } from "./turns.ts";

export interface RecipientsOptions {
  /** `@example.com`, `@*.example.com`, or one whole address. Nothing listed: nobody is allowed. */
  readonly allow: readonly string[];
}

/** Every e-mail address anywhere in the input must be one that the configuration allows. */
export function recipientsCheck(
  { allow }: RecipientsOptions,
  contractOf: ContractOf,
  turns: Turns,
): Capability {
  const allowed = new AllowedRecipients(allow);
  return defineCheck(
    {
      what: "recipients",
      summary: "Hold every e-mail address in the input against the allowed recipients",
      timeout: "10s",
      judge: async (about) => passedUnless(findingsIn(about, allowed, contractOf)),
    },
    turns,
  );
}

function findingsIn(
  { capability, input }: CheckInput,
  allowed: AllowedRecipients,
  contractOf: ContractOf,
): Finding[] {
  const sensitive = contractOf(capability)?.sensitive ?? [];
  const findings: Finding[] = [];
  for (const { place, text } of textsIn(input)) {
    for (const address of addressesIn(text)) {
      const fault = allowed.faultOf(address);
      if (!fault) continue;
      const path = pathOf(place);
      const whose = isSensitive(place, sensitive) ? "An address" : `An address at ${shown(fault.host)}`;
      findings.push({ code: fault.code, path, sentence: `${whose} in \`${path}\` ${fault.why}.` });
      if (findings.length >= enough) return distinct(findings);
    }
  }
  return distinct(findings);
}

/** In its network form, which holds nothing invisible. */
function shown(host: string | undefined): string {
  return host === undefined ? "a host that cannot be read" : `\`${host}\``;
}

interface Fault {
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
      allow.filter((entry) => !entry.startsWith("@")).map((entry) => wholeAddress(entry)),
    );
  }

  faultOf({ local, domain }: Address): Fault | undefined {
    const host = normalHost(domain);
    const fault = (code: string, why: string): Fault => ({ code, why, host });
    if (domain.startsWith("[")) return fault("address-literal", "is a bare network address");
    if (host === undefined) return fault("address-unreadable", "cannot be read as a host");
    if (/[%!@]/.test(local)) return fault("address-routed", "names a second host to pass the mail on to");
    if (this.#hosts.allows(host) || this.#people.has(`${local.toLowerCase()}@${host}`)) return undefined;
    if (isAddress(host)) return fault("address-literal", "is a bare network address");
    if (mixesScripts(host)) return fault("mixed-scripts", "mixes alphabets that look alike");
    const meant = this.#hosts.lookalikeOf(host);
    if (meant) return fault("lookalike", `could be taken for \`${meant}\``);
    return fault("recipient-not-allowed", "is not among `checks.recipients.allow`");
  }
}

function wholeAddress(entry: string): string {
  const [, local, domain] = /^([^\s@]+)@([^\s@]+)$/.exec(entry) ?? [];
  const host = domain && normalHost(domain);
  if (!local || !host)
    throw new ParaphError(
      "capability-invalid",
      `\`checks.recipients.allow\`: write \`@example.com\`, \`@*.example.com\` or a whole address, not \`${entry}\`.`,
    );
  return `${local.toLowerCase()}@${host}`;
}
