export { dateFaultOf, readCertificate, tlsFilesOf } from "./certificate.ts";
export { openRedirect } from "./redirect.ts";
export { CertificateWatch, type TlsListener } from "./watch.ts";
