import { defineGroup } from "../group.ts";

/** Projects, their entities, and calendars. */
export const projectGroup = defineGroup(
  "project",
  `
  calendar, meeting, appointment, schedul, events?$, deadline, due$, remind, task, to-?do, project,
  milestone, goal, plan
  roadmap, document, agenda, kalender, termin, besprechung, frist, aufgabe, projekt, meilenstein, ziel,
  dokument
  calendrier, réunion, rendez-vous, échéance, tâche, projet, jalon, objectif, calendario, reuni, citas?$,
  plazo, tarea, proyecto
  hito, objetivo, riunione, appuntament, scadenz, compit, progett, obiettiv, calendário, compromisso,
  prazo, tarefa
  projeto, metas?$, календар, встреч, срок, задач, проект, цел[ьи], план, напомн, документ
  日历, 日程, 会议, 截止, 任务, 待办, 项目, 里程碑, 目标, 计划, 文档, カレンダー, 予定, 会議, 締め切り, 締切, タスク, プロジェクト, 目標, 計画
  캘린더, 달력, 일정, 회의, 마감, 할 일, 작업, 프로젝트, 목표, 계획, 문서`,
);
