import { describe, expect, it } from "vitest";
import { createEgressPolicy } from "./egress-policy.ts";

describe("[TRUST 17] without `allow` only the public Internet is reached", () => {
  const { allows } = createEgressPolicy();
  it.each(["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111"])("%s is public", (address) => {
    expect(allows("example.com", 443, address)).toBe(true);
  });
  it.each([
    ...["127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1"],
    ...["169.254.169.254", "192.0.0.8", "198.18.0.1", "203.0.113.9", "224.0.0.1", "255.255.255.255"],
    ...[
      "::1",
      "::",
      "::ffff:127.0.0.1",
      "::ffff:7f00:1",
      "::127.0.0.1",
      "fe80::1",
      "fc00::1",
      "fd12::1",
      "ff02::1",
    ],
    ...["64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1", "2001::1", "fec0::1", "not an address", ""],
  ])("%s is not public", (address) => {
    expect(allows("example.com", 443, address)).toBe(false);
  });
});

it.each<[string, [string, number, string], boolean]>([
  ["127.0.0.1:8080", ["127.0.0.1", 8080, "127.0.0.1"], true],
  ["127.0.0.1:8080", ["localhost", 8080, "127.0.0.1"], true],
  ["127.0.0.1:8080", ["127.0.0.1", 8081, "127.0.0.1"], false],
  ["127.0.0.1", ["127.0.0.1", 1, "127.0.0.1"], true],
  ["127.0.0.1:8080", ["x", 8080, "::ffff:127.0.0.1"], false],
  ["10.1.0.0/16", ["x", 80, "10.1.2.3"], true],
  ["10.1.0.0/16", ["x", 80, "10.2.2.3"], false],
  ["[::1]:80", ["x", 80, "::1"], true],
  ["[fd00::/8]", ["x", 80, "fd12::1"], false],
  ["[fd00::]/8:443", ["x", 443, "fd12::1"], true],
  ["crm.internal:443", ["CRM.internal.", 443, "10.0.0.9"], true],
  ["crm.internal:443", ["other.internal", 443, "10.0.0.9"], false],
  ["crm.internal:443", ["crm.internal", 443, "169.254.169.254"], false],
])("the `allow` entry %s permits %j: %s", (entry, asked, admitted) => {
  const said = () => createEgressPolicy([entry]).allows(...asked);
  if (entry === "[fd00::/8]") expect(said).toThrow(/is not a valid address/);
  else expect(said()).toBe(admitted);
});

it.each(["", "a b", "http://x", "10.0.0.0/33", "name/8", "1.1.1.1:99999", "::1"])(
  "`%s` is rejected as an `allow` entry",
  (entry) => {
    expect(() => createEgressPolicy([entry])).toThrow(/is not a valid address/);
  },
);

it.each(["168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"])(
  "[TRUST 17] an allowed name does not permit the cloud metadata address %s",
  (address) => {
    expect(createEgressPolicy(["crm.internal"]).allows("crm.internal", 80, address)).toBe(false);
    expect(createEgressPolicy([]).allows("example.com", 80, address)).toBe(false);
  },
);
