/**
 * The aims of a hostile value: `canary` is a path that must never exist, and `forbidden` is an address that must
 * receive no request.
 */
export interface EscapeAims {
  readonly canary: string;
  readonly forbidden: string;
}

/** Returns values that are known to break out of parsers, aimed at this run's traps. */
function listSeeds({ canary, forbidden }: EscapeAims): string[] {
  const touch = `touch ${canary}`;
  return [
    // Shells.
    ...[
      `; ${touch}`,
      `| ${touch}`,
      `& ${touch} &`,
      `&& ${touch}`,
      `|| ${touch}`,
      `$(${touch})`,
      `\`${touch}\``,
    ],
    ...[
      `'; ${touch}; '`,
      `"; ${touch}; "`,
      `$\{IFS}${touch}`,
      `\n${touch}\n`,
      `\r\n${touch}`,
      `x\0; ${touch}`,
    ],
    ...[
      `> ${canary}`,
      `>> ${canary}`,
      `< /etc/passwd`,
      `2>${canary}`,
      `<(${touch})`,
      "~root",
      "$HOME",
      "%PATH%",
      "!!",
    ],
    // Options.
    ...[
      "-",
      "--",
      "-rf",
      "--help",
      `--output=${canary}`,
      `-o${canary}`,
      `--upload-pack=${touch}`,
      `--exec=${touch}`,
    ],
    ...[
      `--receive-pack=${touch}`,
      `-c core.pager=${touch}`,
      `-ccore.sshCommand=${touch}`,
      `--config=${canary}`,
      `@${canary}`,
    ],
    // Paths.
    ...[
      "..",
      "../",
      "../../../etc/passwd",
      "..\\..\\x",
      "/etc/passwd",
      "//etc/passwd",
      "../..",
      `${canary}`,
      `../${canary}`,
    ],
    ...[
      "a/../../b",
      "a/./b",
      "a//b",
      ".git",
      ".git/hooks/post-commit",
      ".git/config",
      "a\0b",
      "a\u2215b",
      "%2e%2e%2f",
      "%2e%2e/",
      "..%2f",
      "..;/",
      "....//",
    ],
    ...[
      `file://${canary}`,
      "con",
      "nul",
      "a:b",
      "\\\\host\\share",
      "C:\\x",
      "a/".repeat(300),
      "x".repeat(70_000),
    ],
    // Refs and git URLs.
    ...[
      "HEAD",
      "@{-1}",
      "refs/heads/../x",
      "a..b",
      "a.lock",
      "a~1",
      "a^{}",
      "a:b",
      "-f",
      "--all",
      "HEAD@{0}",
      "a b",
      "a\tb",
      "*",
      "?",
      "[a]",
      "\\",
    ],
    ...[
      `ext::sh -c ${touch}`,
      `fd::17/x`,
      `ssh://-oProxyCommand=${touch}/x`,
      `-u${touch}`,
      `git://${forbidden}/x`,
      `file:///etc`,
    ],
    // URLs, hosts and headers.
    ...[
      `http://${forbidden}/`,
      `//${forbidden}/`,
      `\\\\${forbidden}\\`,
      `http://x@${forbidden}/`,
      `http:${forbidden}`,
      `@${forbidden}/`,
    ],
    ...[
      `http://127.1:${readPort(forbidden)}/`,
      `http://2130706433:${readPort(forbidden)}/`,
      `http://0x7f.1:${readPort(forbidden)}/`,
      `http://017700000001:${readPort(forbidden)}/`,
    ],
    ...[
      `http://[::ffff:127.0.0.1]:${readPort(forbidden)}/`,
      `http://[::1]:${readPort(forbidden)}/`,
      `http://localhost:${readPort(forbidden)}/`,
      `http://127.0.0.1.nip.io:${readPort(forbidden)}/`,
    ],
    ...[
      "http://169.254.169.254/latest/meta-data/",
      "http://0/",
      "http://[fe80::1]/",
      "gopher://x",
      "data:text/plain,x",
      "javascript:x",
    ],
    ...[
      `a\r\nX-Evil: 1`,
      `a\nHost: ${forbidden}`,
      "a\u010d\u010aX-Evil: 1",
      `x\r\n\r\nGET http://${forbidden}/ HTTP/1.1\r\n`,
      "?a=b#c",
      "%0d%0aX: y",
      "#",
      "?",
      "&",
      "=",
      "{n}",
      "{0}",
      "%s%n%x",
    ],
    // SQL.
    ...[
      "'",
      "''",
      '"',
      "\\'",
      "'; drop table victims; --",
      "' or '1'='1",
      "1; delete from victims",
      "$$; drop table victims; $$",
      "/*",
      "--",
      "\\x00",
      "x'::regclass",
      "pg_sleep(9)",
      "victims; --",
      "\u02bc",
    ],
    // Templates, prototypes, numbers, texts.
    ...[
      "{prompt_file}",
      "{binary}",
      "\u0024{GOOGLE_API_KEY}",
      "\u0024{{7*7}}",
      "{{7*7}}",
      "<%= 7 %>",
      "__proto__",
      "constructor",
      "toString",
      "NaN",
      "1e999",
      "-0",
      "0x10",
      "null",
      "true",
      "",
    ],
    ...[
      "\u202e\u2066txt.exe",
      "\ufeff",
      "\u0000",
      "\u001b]0;x\u0007",
      "\u001b[2J",
      "\ud800",
      "\udfff\ud800",
      "İ",
      "ﬁ",
      "Å",
      "𝒳",
      "👩‍💻",
    ],
  ];
}

const readPort = (address: string) => address.split(":").at(-1);

/**
 * Generates an endless sequence, which is the same for the same `chance`. It first yields the seeds unchanged. Then it
 * yields them joined, cut, repeated and escaped.
 */
export function* generateHostileValues(aims: EscapeAims, chance: () => number): Generator<string> {
  const known = listSeeds(aims);
  yield* known;
  const one = () => known[Math.floor(chance() * known.length)]!;
  const twists: readonly ((value: string) => string)[] = [
    (value) => value + one(),
    (value) => `${one()}${value}${one()}`,
    (value) => value.slice(Math.floor(chance() * value.length)),
    (value) => encodeURIComponent(value.toWellFormed()),
    (value) => JSON.stringify(value),
    (value) => value.toUpperCase(),
    (value) => [...value].reverse().join(""),
    (value) => `a${String.fromCharCode(Math.floor(chance() * 0x120))}${value}`,
    (value) => value.replaceAll("/", "\\"),
    (value) => `${value} ${value}`,
    (value) => Buffer.from(value).toString("base64"),
    (value) => value.replaceAll(" ", "\t"),
  ];
  for (;;) {
    let value = one();
    for (let turns = 1 + Math.floor(chance() * 3); turns > 0; turns -= 1)
      value = twists[Math.floor(chance() * twists.length)]!(value).slice(0, 100_000);
    yield value;
  }
}
