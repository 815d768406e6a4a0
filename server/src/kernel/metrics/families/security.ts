import type { Family } from "../family.ts";

const SIGN_INS = ["password", "totp", "recovery code", "passkey", "token"] as const;

export const SECURITY = {
  mooring_signins_total: {
    type: "counter",
    help: "Sign-ins of people, and requests for tokens, by result; refused: the secret is wrong, limited: too many attempts",
    labels: { kind: SIGN_INS, result: ["accepted", "refused", "limited", "failed"] },
    alerts: [
      {
        name: "MooringSignInsFail",
        group: "security",
        expression: 'sum by (instance) (rate(mooring_signins_total{result=~"refused|limited"}[10m])) > 0.5',
        for: "10m",
        severity: "warning",
        summary: "Many sign-ins on {{ $labels.instance }} fail",
        description:
          "{{ $value | printf `%.1f` }} sign-ins or token requests per second fail. Somebody guesses secrets, or a client has an old one.",
        remedy:
          'Sign-ins or token requests fail once in two seconds or more often. The audit log and the panel "signins_total" show where. A client with a revoked secret looks the same as somebody who guesses: compare the addresses.',
        page: "brute-force",
        problem: {
          text: "Many sign-ins or token requests fail. Somebody may be guessing secrets.",
          metric: "mooring_signins_total",
          only: { result: ["refused", "limited"] },
          withinS: 600,
          by: [],
          holds: (value) => value > 300,
        },
        test: {
          bad: { 'mooring_signins_total{kind="password", result="refused"}': "0+60x40" },
          good: {
            'mooring_signins_total{kind="token", result="refused"}': "0+20x40",
            'mooring_signins_total{kind="token", result="accepted"}': "0+600x40",
          },
          quietAt: "9m",
          firesAt: "25m",
          keeps: "instance",
          value: "1.0",
        },
      },
    ],
  },
  mooring_certificate_expiry_timestamp_seconds: {
    type: "gauge",
    help: "When the certificate of a listener expires, in seconds since 1970",
    labels: { listener: ["listen", "s3_listen"] },
    alerts: [
      {
        name: "MooringCertificateExpiresSoon",
        group: "security",
        expression: "mooring_certificate_expiry_timestamp_seconds - time() < 14 * 86400",
        for: "1h",
        severity: "warning",
        summary: "The certificate of {{ $labels.listener }} on {{ $labels.instance }} expires soon",
        description: "It expires in {{ $value | humanizeDuration }}. Its renewal has probably failed.",
        remedy:
          "A certificate that is renewed automatically should never have less than two weeks left. Look at the log of the program that renews it, and renew it by hand. The server uses changed files by itself, and at once after a [reload](operations.md#reloading).",
        page: "certificate-expires",
        test: {
          bad: { 'mooring_certificate_expiry_timestamp_seconds{listener="listen"}': "864000x100" },
          good: { 'mooring_certificate_expiry_timestamp_seconds{listener="listen"}': "1728000x100" },
          quietAt: "59m",
          firesAt: "80m",
          labels: { listener: "listen" },
          value: "9d 22h 40m 0s",
        },
      },
      {
        name: "MooringCertificateExpires",
        group: "security",
        expression: "mooring_certificate_expiry_timestamp_seconds - time() < 3 * 86400",
        for: "10m",
        severity: "critical",
        summary: "The certificate of {{ $labels.listener }} on {{ $labels.instance }} expires within three days",
        description: "It expires in {{ $value | humanizeDuration }}. Then clients refuse every connection.",
        remedy:
          "Renew the certificate now, and replace the files. The server uses them within seconds, without cutting connections; `kill -HUP` makes it read them at once, and its log says whether they are valid.",
        page: "certificate-expires",
        problem: {
          text: "The certificate of {listener} expires within three days.",
          metric: "mooring_certificate_expiry_timestamp_seconds",
          holds: (value, nowS) => value - nowS < 3 * 86_400,
        },
        test: {
          bad: { 'mooring_certificate_expiry_timestamp_seconds{listener="listen"}': "172800x60" },
          good: { 'mooring_certificate_expiry_timestamp_seconds{listener="listen"}': "345600x60" },
          quietAt: "9m",
          firesAt: "20m",
          labels: { listener: "listen" },
          value: "1d 23h 40m 0s",
        },
      },
    ],
  },
} as const satisfies Readonly<Record<string, Family>>;
