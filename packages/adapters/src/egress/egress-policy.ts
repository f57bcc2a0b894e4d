import { BlockList } from "node:net";
import { ParaphError } from "@paraph/core";
import { getIpFamily, isForbiddenAddress, isPublicAddress } from "./ip-ranges.ts";

/**
 * [TRUST 17] The destinations that this process may connect to: the public Internet, and those that the configuration
 * allows.
 */
export interface EgressPolicy {
  /**
   * Whether a connection is allowed. `host` is from the URL, and `address` is its resolved address at connection time.
   */
  allows(host: string, port: number, address: string): boolean;
}

/**
 * Creates a policy from entries such as `127.0.0.1:8080`, `[::1]:8080`, `10.1.0.0/16` and `crm.internal:443`. An entry
 * is an address, a range or a name, for one port or for all ports. An allowed name may resolve to a private address.
 * Any other name may resolve only to public addresses.
 */
export function createEgressPolicy(allow: readonly string[] = []): EgressPolicy {
  const allowed = allow.map(parseAllowEntry);
  return {
    allows: (host, port, address) =>
      isPublicAddress(address) ||
      allowed.some(
        (each) =>
          (each.port === undefined || each.port === port) && each.matches(normalizeHost(host), address),
      ),
  };
}

/**
 * [TRUST 17] Creates a policy that also allows the hosts of these URLs at private addresses, because the operator named
 * them. Other private addresses stay blocked.
 */
export function createPolicyForHosts(...named: readonly URL[]): EgressPolicy {
  const portOf = ({ port, protocol }: URL) => port || (protocol === "https:" ? "443" : "80");
  return createEgressPolicy(named.map((url) => `${url.hostname}:${portOf(url)}`));
}

interface AllowEntry {
  readonly port: number | undefined;
  matches(host: string, address: string): boolean;
}

function parseAllowEntry(entry: string): AllowEntry {
  const match =
    /^(?:\[(?<six>[0-9a-fA-F:.]+)\]|(?<host>[^:[\]/\s]+))(?:\/(?<bits>\d{1,3}))?(?::(?<port>\d{1,5}))?$/.exec(
      entry,
    );
  const { six, host, bits, port } = match?.groups ?? {};
  const said = six ?? host;
  const family = getIpFamily(said ?? "");
  const widest = family === "ipv6" ? 128 : 32;
  if (
    said === undefined ||
    (bits !== undefined && (!family || Number(bits) > widest)) ||
    Number(port ?? 1) > 65_535
  )
    throw allowEntryFault(entry);
  return {
    port: port === undefined ? undefined : Number(port),
    matches: createMatcher(said, family, Number(bits ?? widest)),
  };
}

function createMatcher(
  said: string,
  family: "ipv4" | "ipv6" | undefined,
  bits: number,
): AllowEntry["matches"] {
  if (!family) return (host, address) => host === normalizeHost(said) && !isForbiddenAddress(address);
  const range = new BlockList();
  range.addSubnet(said, bits, family);
  // An IPv4 address mapped to IPv6 does not match an IPv4 entry, because the configuration did not allow this spelling.
  return (_host, address) => getIpFamily(address) === family && range.check(address, family);
}

function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}

function allowEntryFault(entry: string): ParaphError {
  return new ParaphError(
    "adapter-invalid",
    `\`${entry}\` in \`allow\` is not a valid address. Write it as \`127.0.0.1:8080\`, \`10.1.0.0/16\`, \`[::1]:8080\` or \`crm.internal:443\`.`,
  );
}
