import { BlockList, isIP } from "node:net";

/**
 * [TRUST 17] Addresses outside the public Internet: private, shared, link-local, reserved, documentation, multicast.
 */
const nonPublicRanges = new BlockList();
for (const range of [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
])
  addRange(nonPublicRanges, range, "ipv4");
for (const range of ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"])
  addRange(nonPublicRanges, range, "ipv6");

/**
 * The public IPv6 addresses. All other IPv6 addresses have a special purpose, including IPv4 addresses mapped to IPv6.
 */
const publicIpv6Ranges = new BlockList();
addRange(publicIpv6Ranges, "2000::/3", "ipv6");

const forbiddenRanges = new BlockList();
for (const range of ["0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3"]) addRange(forbiddenRanges, range, "ipv4");
for (const range of ["fe80::/10", "ff00::/8"]) addRange(forbiddenRanges, range, "ipv6");
/**
 * The metadata addresses of Azure, Alibaba, Oracle, AWS and Google that are outside the link-local range. Azure's
 * address is a public address.
 */
for (const range of ["168.63.129.16/32", "100.100.100.200/32", "192.0.0.192/32"])
  addRange(forbiddenRanges, range, "ipv4");
for (const range of ["fd00:ec2::254/128", "fd20:ce::254/128"]) addRange(forbiddenRanges, range, "ipv6");

/** Whether this is an address of a host on the public Internet. */
export function isPublicAddress(address: string): boolean {
  const family = getIpFamily(address);
  if (!family) return false;
  if (family === "ipv6" && !publicIpv6Ranges.check(address, family)) return false;
  return !nonPublicRanges.check(address, family) && !forbiddenRanges.check(address, family);
}

/**
 * Whether an allowed name may never resolve to this address. Such an address serves a cloud's metadata, including the
 * machine's credentials, or does not belong to a single host.
 */
export function isForbiddenAddress(address: string): boolean {
  const family = getIpFamily(address);
  return !family || forbiddenRanges.check(address, family);
}

export function getIpFamily(address: string): "ipv4" | "ipv6" | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 6 ? "ipv6" : "ipv4";
}

function addRange(list: BlockList, range: string, family: "ipv4" | "ipv6"): void {
  const [net = "", bits] = range.split("/");
  list.addSubnet(net, Number(bits), family);
}
