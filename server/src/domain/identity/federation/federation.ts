import { AssertionRefusal, checkLifetime, parseAssertion, type Assertion } from "./assertion.ts";
import { MATCHERS } from "./match.ts";
import { IssuerKeys, SignatureRefusal, type IssuerKeysDeps } from "./issuer-keys.ts";
import type { Trust } from "./trust.ts";

export type CheckName = "form" | "lifetime" | "issuer" | "signature" | "audience" | "subject" | "claims";

/** One check; `skipped`: a value that it needs is missing. */
export interface Check {
  readonly check: CheckName;
  readonly result: "pass" | "fail" | "skipped";
  /** For people. */
  readonly detail: string;
}

export type FederationDeps = IssuerKeysDeps;

/** Whether a token of another issuer replaces a credential's secret (RFC 7521 section 4.2, RFC 7523 section 3). */
export class Federation {
  readonly #deps: FederationDeps;
  readonly #keys: IssuerKeys;

  constructor(deps: FederationDeps) {
    this.#deps = deps;
    this.#keys = new IssuerKeys(deps);
  }

  /**
   * Which of these trusts takes the assertion. Keys are read of an issuer that one of them names, never of one that only the
   * assertion does.
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

  /** Everything that one trust asks of an assertion, each by itself. */
  async explain(trust: Trust, text: string): Promise<{ checks: Check[]; assertion: Assertion | null }> {
    const assertion = readOrRefusal(text);
    if (assertion instanceof AssertionRefusal)
      return { checks: [fail("form", assertion.message), ...skipped(ALL)], assertion: null };
    const checks: Check[] = [pass("form", "a JWT, signed by a key pair")];
    checks.push(lifetimeOf(assertion, this.#deps.clock.nowMs()));
    if (assertion.issuer !== trust.issuer) {
      checks.push(fail("issuer", `iss is ${assertion.issuer.slice(0, 200)}, not ${trust.issuer}`));
      checks.push({ check: "signature", result: "skipped", detail: "keys are read of the trusted issuer only" });
    } else {
      checks.push(pass("issuer", `iss is ${trust.issuer}`));
      checks.push(await this.#signatureOf(assertion));
    }
    const fits = {
      audience: `aud holds ${trust.audience}`,
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
      return pass("signature", "one of the issuer's keys has signed it");
    } catch (error) {
      if (error instanceof SignatureRefusal) return fail("signature", error.message);
      throw error;
    }
  }

  stop(): void {
    this.#keys.stop();
  }
}

/** The same for a client that does not exist: it names only what the caller brought. */
function refusal({ issuer, subject }: Assertion, reason: string, isIssuersFault = false): AssertionRefusal {
  return new AssertionRefusal(
    `No trust of this client takes an assertion of the issuer ${issuer.slice(0, 200)} about ${subject.slice(0, 200)}, or the issuer's keys can't be read now. The organization's audit log says which check failed.`,
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
    return pass("lifetime", `ends in ${Math.floor(assertion.times.exp - nowMs / 1000)} s`);
  } catch (error) {
    if (error instanceof AssertionRefusal) return fail("lifetime", error.message);
    throw error;
  }
}

function claimsText({ claims }: Trust): string {
  const names = Object.keys(claims);
  return names.length === 0 ? "none are asked for" : `as asked for: ${names.join(", ")}`;
}

function skipped(names: readonly CheckName[]): Check[] {
  return names.map((check) => ({ check, result: "skipped", detail: "there is nothing to look at" }));
}

function pass(check: CheckName, detail: string): Check {
  return { check, result: "pass", detail };
}

function fail(check: CheckName, detail: string): Check {
  return { check, result: "fail", detail };
}
