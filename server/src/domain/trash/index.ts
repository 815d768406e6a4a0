export { endDue, endSoon, endTrashHandler } from "./end.ts";
export type { TrashKindRules, TrashKinds } from "./kinds.ts";
export {
  dropItem,
  dropItemsOfProject,
  itemsOf,
  moveItems,
  ownTrashDays,
  setDaysOfItems,
  setDetail,
  type TrashItem,
  type TrashRow,
} from "./store.ts";
export {
  auditOf,
  findTrashItem,
  moveToTrash,
  purgeItem,
  restoreItem,
  trashDaysOf,
  trashItems,
  type TrashDeps,
  type TrashSettings,
  type TrashWork,
} from "./trash.ts";
