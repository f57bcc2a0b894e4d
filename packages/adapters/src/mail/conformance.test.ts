import { hasPostfixAndDovecot } from "../../../../test/support/servers/postfix-dovecot.ts";
import { describeConformanceTest } from "../conformance/testing.ts";

if (hasPostfixAndDovecot) await describeConformanceTest(new URL("./test-conformance.ts", import.meta.url));
