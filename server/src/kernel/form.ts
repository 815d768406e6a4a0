/** The most fields of a form (`application/x-www-form-urlencoded`). Our forms have ten at most. */
export const FORM_FIELDS_MAX = 100;

/** Whether a form has more fields than the limit, before they are decoded. */
export function hasMoreFields(form: string): boolean {
  let fields = 1;
  for (let at = form.indexOf("&"); at >= 0 && fields <= FORM_FIELDS_MAX; at = form.indexOf("&", at + 1)) fields += 1;
  return fields > FORM_FIELDS_MAX;
}
