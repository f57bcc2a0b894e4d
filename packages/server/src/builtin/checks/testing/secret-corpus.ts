import { createHash } from "node:crypto";

/**
 * These made-up secrets of every kind are valid nowhere. They are assembled from parts and digests, so that no scanner
 * of this repository reports them.
 */
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const digits = "0123456789";

function createRandomText(seed: string, length: number, alphabet = letters + digits): string {
  let text = "";
  for (let block = 0; text.length < length; block += 1)
    for (const byte of createHash("sha256").update(`${seed}${block}`).digest())
      text += alphabet[byte % alphabet.length];
  return text.slice(0, length);
}

const hex = `${digits}abcdef`;
const createBase64 = (seed: string, length: number) =>
  createRandomText(seed, length, `${letters}${digits}+/`);
const createPem = (kind: string, head: string) => {
  const body = (head + createBase64(kind, 800)).match(/.{1,64}/g)!.join("\n");
  return `-----BEGIN ${kind}PRIVATE KEY-----\n${body}\n-----END ${kind}PRIVATE KEY-----`;
};
const encodeJwtPart = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

export const secretSamples: Readonly<Record<string, string>> = {
  "AWS key id": `AKIA${createRandomText("aws", 16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")}`,
  "AWS secret": `aws_secret_access_key = ${createBase64("awss", 40)}`,
  "GitHub token": `ghp_${createRandomText("gh", 36)}`,
  "GitHub fine-grained token": `github_pat_${createRandomText("ghf", 82)}`,
  "GitLab token": `glpat-${createRandomText("gl", 20)}`,
  "npm token": `npm_${createRandomText("npm", 36)}`,
  npmrc: `//registry.npmjs.org/:_authToken=${createRandomText("npmrc", 36)}`,
  "PyPI token": `pypi-AgEIcHlwaS5vcmc${createRandomText("pypi", 90)}`,
  "Slack token": `xoxb-${createRandomText("sl1", 12, digits)}-${createRandomText("sl2", 12, digits)}-${createRandomText("sl3", 24)}`,
  "Slack webhook": `https://hooks.slack.com/services/T${createRandomText("s", 10, digits)}/B${createRandomText("w", 10, digits)}/${createRandomText("h", 24)}`,
  "Discord webhook": `https://discord.com/api/webhooks/${createRandomText("d", 18, digits)}/${createRandomText("dw", 68)}`,
  "Telegram bot": `${createRandomText("tg", 10, "123456789")}:AA${createRandomText("tg", 33)}`,
  "Twilio key": `SK${createRandomText("tw", 32, hex)}`,
  SendGrid: `SG.${createRandomText("sg", 22)}.${createRandomText("sgb", 43)}`,
  Mailgun: `key-${createRandomText("mg", 32, hex)}`,
  Stripe: `sk_live_${createRandomText("st", 24)}`,
  Shopify: `shpat_${createRandomText("sh", 32, hex)}`,
  "OpenAI key": `sk-proj-${createRandomText("oa", 48)}`,
  "Anthropic key": `sk-ant-api03-${createRandomText("an", 93)}AA`,
  "Google API key": `AIza${createRandomText("go", 35)}`,
  "Google OAuth secret": `GOCSPX-${createRandomText("goc", 28)}`,
  "Azure storage": `DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=${createBase64("az", 86)}==`,
  DigitalOcean: `dop_v1_${createRandomText("do", 64, hex)}`,
  "Hugging Face": `hf_${createRandomText("hf", 34, letters)}`,
  "New Relic": `NRAK-${createRandomText("nr", 27, `${digits}ABCDEFGHIJ`)}`,
  Notion: `ntn_${createRandomText("nt", 11, digits)}${createRandomText("ntb", 35)}`,
  Linear: `lin_api_${createRandomText("li", 40)}`,
  Databricks: `dapi${createRandomText("db", 32, hex)}`,
  "Vault token": `hvs.${createRandomText("va", 95)}`,
  Tailscale: `tskey-auth-${createRandomText("ts", 16)}-${createRandomText("tsb", 32)}`,
  Figma: `figd_${createRandomText("fi", 40)}`,
  "Docker token": `dckr_pat_${createRandomText("dk", 27)}`,
  "age key": `AGE-SECRET-KEY-1${createRandomText("age", 58, `${digits}ABCDEFGHJKLMNPQRSTUVWXYZ`)}`,
  "Paraph key": `paraph_acme_${createRandomText("pa", 8, hex)}_${createRandomText("pab", 40)}`,
  "RSA private key": createPem("RSA ", "MIIEpAIBAAKCAQEA"),
  "PKCS#8 private key": createPem("", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"),
  "OpenSSH private key": createPem("OPENSSH ", "b3BlbnNzaC1rZXktdjEAAAAA"),
  "private key, cut off": createPem("EC ", "MHcCAQEEI").slice(0, 90),
  "PostgreSQL URL": `postgres://app:${createRandomText("pg", 20)}@db.internal:5432/app`,
  "MongoDB URL": `mongodb+srv://app:${createRandomText("mo", 20)}@cluster0.internal/app`,
  "Redis URL": `redis://:${createRandomText("re", 24)}@cache.internal:6379/0`,
  "basic auth in a URL": `https://deploy:${createRandomText("ba", 20)}@git.internal.net/repo`,
  "bearer header": `Authorization: Bearer ${createRandomText("be", 40)}`,
  "basic header": `Authorization: Basic ${Buffer.from(`admin:${createRandomText("bas", 18)}`).toString("base64")}`,
  JWT: `${encodeJwtPart({ alg: "HS256", typ: "JWT" })}.${encodeJwtPart({ sub: "1234567890", admin: true })}.${createRandomText("jwt", 43)}`,
  "password in a config": `db.password=${createRandomText("pw", 12)}!7Qz`,
  "secret in YAML": `client_secret: "${createRandomText("ym", 32)}"`,
  "secret in an env file": `export API_KEY='${createRandomText("env", 32)}'`,
  "secret in JSON text": JSON.stringify(JSON.stringify({ access_token: createRandomText("js", 40) })),
};

/** Ordinary texts of people and agents without a secret. */
export const innocentSamples: readonly string[] = [
  "Hello Ana, the meeting is on Tuesday at 10:30 in room 4.12.",
  "The password must have at least 12 characters, among them one digit.",
  "password: string;",
  "const password = process.env.DB_PASSWORD_2;",
  "api_key = os.environ['API_KEY_V2']",
  `api_key: "\${API_KEY}"`,
  "token: <YOUR_ACCESS_TOKEN_1>",
  'access_token = "{{ secrets.Token_2 }}"',
  "secret: vault:kv/data/App1#Password",
  "The secret of a good soup: 2 carrots, 1 leek, and patience.",
  "secretary: Elisabeth-Windsor-2",
  "Reset your password: https://example.com/Reset/3f2a91",
  "password_reset_url: https://Example.com/reset/1",
  "git commit 3f786850e387550fdab836ed7e6dc881de23001b",
  "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  "integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
  "0198c0de-4a2b-7c3d-8e4f-5a6b7c8d9e0f",
  "Order 4711-0815 was shipped on 2026-03-14 by DHL.",
  "IBAN DE89 3704 0044 0532 0130 00",
  "Call me at +49 170 1234567 or +1 (555) 010-9999.",
  "SELECT id, name FROM customer WHERE id = 42 AND active;",
  "ALTER TABLE account ADD COLUMN password_hash text NOT NULL;",
  "UPDATE account SET password = crypt($1, gen_salt('bf', 8));",
  "function isSecret(value: string): boolean { return value.length > 8; }",
  "import { createHash } from 'node:crypto';",
  "https://github.com/acme/shop/pull/1289#discussion_r1234567890",
  "https://example.com/search?q=Basic+2026&page=2&token_type=bearer",
  "See https://en.wikipedia.org/wiki/Public-key_cryptography#Forgery for more.",
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ana@laptop",
  "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ7\n-----END CERTIFICATE-----",
  "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
  "Basic income, basic 2026-03-plan and bearer bonds were discussed.",
  "Token ring networks ran at 4 and 16 Mbit/s in 1989.",
  "The key-value store holds key-00112233 and key-44556677.",
  "Version 1.2.3-beta.4+build.567 of @acme/tool is out.",
  "npm install --save-exact @paraph/server@0.1.0",
  "docker run -e POSTGRES_PASSWORD=changeme -p 5432:5432 postgres:18",
  "passwd: all authentication tokens updated successfully.",
  "pwd=/home/ana/projects/shop2/src",
  "auth_token=null",
  "client_secret=********",
  "client_secret=xxxxxxxxxxxxXXXX1234",
  "apikey: your-api-key-2-goes-here",
  "private_key: ./keys/Server2.pem",
  "AKIAIOSFODNN is too short to be a key id.",
  "eyJ is how many encoded objects begin.",
  "sk-learn and sk-eleton are words with a hyphen.",
  "postgres://localhost:5432/shop",
  `postgres://app:\${DB_PASSWORD}@db:5432/shop`,
  "https://user@example.com/path:8080",
  "11:45:32.123 INFO [http-nio-8080-exec-1] c.a.shop.OrderService : order 998877 created in 23ms",
  "diff --git a/src/secret.ts b/src/secret.ts\nindex 83db48f..bf2a1c9 100644",
  "Meine Zugangsdaten schicke ich nie per Mail. Das Passwort: siehe Tresor!",
  "パスワード: 社内の金庫を見てください。",
  "Ship it 🚀 at 17:00, cost 1.299,00 €, weight 3,5 kg.",
  "lat=52.5200066, lng=13.4049540, zoom=12",
  "color: #3f51b5; background: #FAFAFA; padding: 4px 8px;",
  "MAC 00:1B:44:11:3A:B7, IPv6 2001:db8:85a3::8a2e:370:7334",
  "0x7fffffffffffffff is the largest signed 64-bit number.",
  "Access key: the one with the red tag, second drawer.",
  "secret=False",
  '{"type":"object","properties":{"password":{"type":"string","minLength":12}}}',
];
