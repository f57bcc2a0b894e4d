import { BlockList, isIP } from "node:net";

/** [TRUST 17] What is no host of the public Internet: private, shared, link-local, reserved, documentation, multicast. */
const elsewhere = new BlockList();
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
  add(elsewhere, range, "ipv4");
for (const range of ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]) add(elsewhere, range, "ipv6");

/** Everything else in version 6, addresses of version 4 written in it among them, is something special. */
const publicV6 = new BlockList();
add(publicV6, "2000::/3", "ipv6");

const loopback = new BlockList();
add(loopback, "127.0.0.0/8", "ipv4");
add(loopback, "::1/128", "ipv6");

export function mayBeReached(address: string, allowLoopback: boolean): boolean {
  const family = isIP(address) === 6 ? "ipv6" : "ipv4";
  if (isIP(address) === 0) return false;
  if (loopback.check(address, family) && !address.toLowerCase().startsWith("::ffff:")) return allowLoopback;
  if (family === "ipv6" && !publicV6.check(address, family)) return false;
  return !elsewhere.check(address, family);
}

function add(list: BlockList, range: string, family: "ipv4" | "ipv6"): void {
  const [net = "", bits] = range.split("/");
  list.addSubnet(net, Number(bits), family);
}
