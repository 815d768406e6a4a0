/** Fields of a form (`application/x-www-form-urlencoded`): our forms have ten at most. */
export const FORM_FIELDS_MAX = 100;

/** Looked at before the fields are read. */
export function hasMoreFields(form: string): boolean {
  let fields = 1;
  for (let at = form.indexOf("&"); at >= 0 && fields <= FORM_FIELDS_MAX; at = form.indexOf("&", at + 1)) fields += 1;
  return fields > FORM_FIELDS_MAX;
}
