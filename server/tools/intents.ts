/**
 * Groups of tools, and patterns of messages that suggest them. The patterns miss some messages; the model can still find the
 * tools with find_tools. A tool without a group is always offered.
 */
export type Group = {
  readonly name: "web" | "weather" | "memory" | "project" | "files";
  readonly tools: RegExp;
  readonly intent: RegExp;
};

/** Matches prefixes of words (whole words with `$`) in scripts with spaces, and substrings in others. */
const begins = (...words: readonly string[]): RegExp => {
  const spaced = words.filter((word) => !isUnspaced(word)).map((word) => word.replace(/\$$/, "(?![\\p{L}\\p{N}])"));
  const unspaced = words.filter(isUnspaced);
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${spaced.join("|")})|${unspaced.join("|")}`, "iu");
};
const isUnspaced = (word: string): boolean =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(word);
const list = (words: string): readonly string[] =>
  words
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== "");

export const groups: readonly Group[] = [
  {
    name: "web",
    tools: /^(?:plan_research|search_web|scrape_webpage)$/,
    intent: begins(
      ...list(`
        https?://, www\\., @basic, @search, search, look up, look for, google, browse, web$, website, internet,
        online, news$, latest
        newest, current, recent, today, yesterday, this week, this month, this year, source, citation, cite,
        article, price, who won
        released?$, published, research, find out, happened$, happening$
        suche$, suchen$, such (?:mir|nach|bitte|mal|im), recherch, nachricht, aktuell, neueste, heute, gestern,
        quelle, webseite, netz, artikel, preis
        cherch, actualité, dernier, dernière, nouvelles, aujourd, site$, en ligne, prix
        busc, noticia, últim, ultim, reciente, actual(?!ly), hoy$, ayer$, en línea, sitio, fuente, precio
        cerca$, ricerc, notizi, recent, oggi, ieri, sito, fonte, prezzo
        procur, pesquis, notícia, hoje, ontem, preço
        найд, поищ, поиск, новост, последн, свеж, сегодня, вчера, сейчас, сайт, интернет, источник, цена,
        стоит
        搜索, 搜一, 搜尋, 查一, 查找, 查询, 新闻, 新聞, 最新, 最近, 今天, 昨天, 网上, 網上, 网站, 来源, 价格
        検索, 調べ, ニュース, 今日, 昨日, ネット, サイト, 出典, 値段
        검색, 찾아, 뉴스, 최신, 최근, 오늘, 어제, 인터넷, 사이트, 출처, 가격`),
    ),
  },
  {
    name: "weather",
    tools: /^weather$/,
    intent: begins(
      ...list(`
        weather, forecast, temperature, rain(?!bow), snow, umbrella, wetter, vorhersage, regen, regnet, schnee,
        météo, pluie, neige
        qué tiempo, clima, lluvia, llover, pronóstico, meteo, piogg, previsioni, previsão, chuva, погод, дожд,
        снег, прогноз
        天气, 天氣, 下雨, 气温, 天気, 気温, 雨, 날씨, 비가`),
    ),
  },
  {
    name: "memory",
    tools: /^working_memory$/,
    intent: begins(
      ...list(`
        @workingmemory, remember, forget, don't forget, memoris, memoriz, keep in mind, note that, my name,
        call me, i live
        i like, i love, i prefer, i hate, i always, i usually, i never, i am, i'm, i’m, about me, from now on
        merk, erinner, vergiss, ich hei(?:ß|ss)e, mein name, nenn mich, ich wohne, ich mag, ich bevorzuge,
        ich bin, über mich
        souviens, retiens, rappelle, oublie, je m['’]appelle, mon nom, j['’]habite, j['’]aime, je préfère,
        je suis
        recuerd, olvid, me llamo, mi nombre, vivo$, me gusta, prefiero, soy$
        ricord, dimentic, mi chiamo, abito$, mi piace, preferisco, sono$
        lembr, esque, meu nome, moro$, gosto, prefiro, sou$
        запомн, помн, забуд, меня зовут, я живу, мне нрав, я люблю, предпочит, обо мне
        记住, 记得, 忘记, 忘掉, 我叫, 我的名字, 我住, 我喜欢, 我是, 覚え, 忘れ, 私の名前, と呼んで, 住んで, 好き, 기억, 잊어, 이름은, 살고, 좋아`),
    ),
  },
  {
    name: "project",
    tools:
      /(?:^|_)(?:projects?|goals?|milestones?|plans?|tasks?|events?|calendar|documents?|edges?|entit(?:y|ies)|onto)(?:_|$)/,
    intent: begins(
      ...list(`
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
        캘린더, 달력, 일정, 회의, 마감, 할 일, 작업, 프로젝트, 목표, 계획, 문서`),
    ),
  },
  {
    name: "files",
    tools:
      /^(?:replace_lines|(?:add|remove)_dependency|read_(?:console_logs|network_requests))$|(?:^|_)(?:files?|folders?|director(?:y|ies)|workspace)(?:_|$)/,
    intent: begins(
      ...list(`
        file, folder, director, workspace, code, script, repositor, refactor, compil, bugs?$, build, datei,
        ordner, verzeichnis
        fichier, dossier, archivo, carpeta, cartella, arquivo, pasta, файл, папк, код$
        文件, 文件夹, 代码, ファイル, フォルダ, コード, 파일, 폴더, 코드`),
    ),
  },
];
