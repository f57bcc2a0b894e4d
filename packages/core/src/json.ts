/** What travels: plain JSON, as RFC 8785 can canonicalise it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };
