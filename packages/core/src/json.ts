/** A plain JSON value that RFC 8785 can canonicalise. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A plain JSON object. */
export type JsonObject = { readonly [key: string]: Json };
