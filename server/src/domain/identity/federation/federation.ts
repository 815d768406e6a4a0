import { AssertionRefusal, checkLifetime, parseAssertion, type Assertion } from "./assertion.ts";
import { MATCHERS } from "./match.ts";
import { IssuerKeys, SignatureRefusal, type IssuerKeysDeps } from "./issuer-keys.ts";
import type { Trust } from "./trust.ts";

export type CheckName = "form" | "lifetime" | "issuer" | "signature" | "audience" | "subject" | "claims";

/** The result of one check. `skipped`: the token lacks a value that the check needs. */
export interface Check {
  readonly check: CheckName;
  readonly result: "pass" | "fail" | "skipped";
  /** For people. */
  readonly detail: string;
}

export type FederationDeps = IssuerKeysDeps;

/**
 * Checks whether a token of another issuer replaces a credential's secret (RFC 7521, section 4.2; RFC 7523, section 3).
 */
export class Federation {
  readonly #deps: FederationDeps;
  readonly #keys: IssuerKeys;

  constructor(deps: FederationDeps) {
    this.#deps = deps;
    this.#keys = new IssuerKeys(deps);
  }

  /**
   * Returns the trust that accepts the assertion. It reads keys only from issuers that a trust names.
   * @throws AssertionRefusal
   */
  async accept(trusts: readonly Trust[], text: string): Promise<{ trustId: string; subject: string }> {
    const assertion = parseAssertion(text);
    checkLifetime(assertion, this.#deps.clock.nowMs());
    const named = trusts.filter(({ issuer }) => issuer === assertion.issuer);
    if (named.length === 0) throw refusal(assertion, "no trust names the issuer");
    await this.#keys.verify(assertion).catch((error: unknown) => {
      throw error instanceof SignatureRefusal ? refusal(assertion, error.message, error.isIssuersFault) : error;
    });
    let why: string | undefined;
    for (const trust of named) {
      const fault =
        MATCHERS.audience(trust, assertion) ?? MATCHERS.subject(trust, assertion) ?? MATCHERS.claims(trust, assertion);
      if (fault === undefined) return { trustId: trust.id, subject: assertion.subject };
      why ??= fault;
    }
    throw refusal(assertion, why ?? "");
  }

  /** Returns the result of each check of one trust. */
  async explain(trust: Trust, text: string): Promise<{ checks: Check[]; assertion: Assertion | null }> {
    const assertion = readOrRefusal(text);
    if (assertion instanceof AssertionRefusal)
      return { checks: [fail("form", assertion.message), ...skipped(ALL)], assertion: null };
    const checks: Check[] = [pass("form", "a JWT, signed with a key pair")];
    checks.push(lifetimeOf(assertion, this.#deps.clock.nowMs()));
    if (assertion.issuer !== trust.issuer) {
      checks.push(fail("issuer", `iss is ${assertion.issuer.slice(0, 200)}, not ${trust.issuer}`));
      checks.push({ check: "signature", result: "skipped", detail: "keys are read only from the trusted issuer" });
    } else {
      checks.push(pass("issuer", `iss is ${trust.issuer}`));
      checks.push(await this.#signatureOf(assertion));
    }
    const fits = {
      audience: `aud contains ${trust.audience}`,
      subject: `sub is ${assertion.subject}`,
      claims: claimsText(trust),
    };
    for (const check of ["audience", "subject", "claims"] as const) {
      const fault = MATCHERS[check](trust, assertion);
      checks.push(fault === undefined ? pass(check, fits[check]) : fail(check, fault));
    }
    return { checks, assertion };
  }

  async #signatureOf(assertion: Assertion): Promise<Check> {
    try {
      await this.#keys.verify(assertion);
      return pass("signature", "signed with one of the issuer's keys");
    } catch (error) {
      if (error instanceof SignatureRefusal) return fail("signature", error.message);
      throw error;
    }
  }

  stop(): void {
    this.#keys.stop();
  }
}

/** Returns the refusal. It is the same for an unknown client, and contains only values that the caller sent. */
function refusal({ issuer, subject }: Assertion, reason: string, isIssuersFault = false): AssertionRefusal {
  return new AssertionRefusal(
    `No trust of this client accepts an assertion of the issuer ${issuer.slice(0, 200)} about ${subject.slice(0, 200)}, or the issuer's keys can't be read now. The organization's audit log says which check failed.`,
    `assertion refused: ${reason}`,
    isIssuersFault,
  );
}

const ALL: readonly CheckName[] = ["lifetime", "issuer", "signature", "audience", "subject", "claims"];

function readOrRefusal(text: string): Assertion | AssertionRefusal {
  try {
    return parseAssertion(text);
  } catch (error) {
    if (error instanceof AssertionRefusal) return error;
    throw error;
  }
}

function lifetimeOf(assertion: Assertion, nowMs: number): Check {
  try {
    checkLifetime(assertion, nowMs);
    return pass("lifetime", `expires in ${Math.floor(assertion.times.exp - nowMs / 1000)} s`);
  } catch (error) {
    if (error instanceof AssertionRefusal) return fail("lifetime", error.message);
    throw error;
  }
}

function claimsText({ claims }: Trust): string {
  const names = Object.keys(claims);
  return names.length === 0 ? "the trust requires none" : `present with the required values: ${names.join(", ")}`;
}

function skipped(names: readonly CheckName[]): Check[] {
  return names.map((check) => ({ check, result: "skipped", detail: "skipped, because the token can't be read" }));
}

function pass(check: CheckName, detail: string): Check {
  return { check, result: "pass", detail };
}

function fail(check: CheckName, detail: string): Check {
  return { check, result: "fail", detail };
}
