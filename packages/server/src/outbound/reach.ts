import { BlockList } from "node:net";
import { ParaphError } from "@paraph/core";
import { familyOf, isNobodys, isPublic } from "./addresses.ts";

/** [TRUST 17] Whom this process may connect to: the public Internet, and what the configuration allows beside it. */
export interface Reach {
  /** `host` is what the URL says, `address` what it came to when the connection is made. */
  admits(host: string, port: number, address: string): boolean;
}

/**
 * `127.0.0.1:8080`, `[::1]:8080`, `10.1.0.0/16`, `crm.internal:443`: an address, a range or a name, with a port or for
 * all. A name that is allowed may lead to a private address; one that is not may lead only to public ones.
 */
export function reachOf(allow: readonly string[] = []): Reach {
  const allowed = allow.map(allowance);
  return {
    admits: (host, port, address) =>
      isPublic(address) ||
      allowed.some(
        (each) => (each.port === undefined || each.port === port) && each.holds(nameOf(host), address),
      ),
  };
}

interface Allowance {
  readonly port: number | undefined;
  holds(host: string, address: string): boolean;
}

function allowance(entry: string): Allowance {
  const match =
    /^(?:\[(?<six>[0-9a-fA-F:.]+)\]|(?<host>[^:[\]/\s]+))(?:\/(?<bits>\d{1,3}))?(?::(?<port>\d{1,5}))?$/.exec(
      entry,
    );
  const { six, host, bits, port } = match?.groups ?? {};
  const said = six ?? host;
  const family = familyOf(said ?? "");
  const widest = family === "ipv6" ? 128 : 32;
  if (
    said === undefined ||
    (bits !== undefined && (!family || Number(bits) > widest)) ||
    Number(port ?? 1) > 65_535
  )
    throw unusable(entry);
  return {
    port: port === undefined ? undefined : Number(port),
    holds: holding(said, family, Number(bits ?? widest)),
  };
}

function holding(said: string, family: "ipv4" | "ipv6" | undefined, bits: number): Allowance["holds"] {
  if (!family) return (host, address) => host === nameOf(said) && !isNobodys(address);
  const range = new BlockList();
  range.addSubnet(said, bits, family);
  // A version 4 address written as version 6 is another way to say it, and nobody has allowed that way.
  return (_host, address) => familyOf(address) === family && range.check(address, family);
}

function nameOf(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}

function unusable(entry: string): ParaphError {
  return new ParaphError(
    "adapter-invalid",
    `\`${entry}\` in \`allow\` is no address: write \`127.0.0.1:8080\`, \`10.1.0.0/16\`, \`[::1]:8080\` or \`crm.internal:443\`.`,
  );
}
