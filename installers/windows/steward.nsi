; The installer of Steward for Windows: for one user (the default, no administrator) or for all users.
; Built by packaging/windows_installer.py with makensis, here or on any other system.
;
; Silent: /S [/ALLUSERS] [/D=FOLDER]. Silent removal: uninstall.exe /S [/REMOVEDATA] [/REMOVEMODELS].
Unicode true
!ifdef NSIS_TARGET
  Target ${NSIS_TARGET}
!endif
!include MUI2.nsh
!include FileFunc.nsh
!include LogicLib.nsh
!include nsDialogs.nsh
!include x64.nsh

!define NAME "Steward"
!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\${NAME}"
!define RUN_KEY "Software\Microsoft\Windows\CurrentVersion\Run"

Name "${NAME}"
OutFile "${OUT}"
; "highest" would ask everybody for an administrator: the choice of all users starts the installer anew with it.
RequestExecutionLevel user
SetCompressor /SOLID lzma
InstallDir ""
ShowInstDetails nevershow
ShowUninstDetails nevershow
VIProductVersion "${VERSION}.0"
VIAddVersionKey ProductName "${NAME}"
VIAddVersionKey FileDescription "Installer of Steward"
VIAddVersionKey FileVersion "${VERSION}"
VIAddVersionKey ProductVersion "${VERSION}"
VIAddVersionKey CompanyName "The Steward authors"
VIAddVersionKey LegalCopyright "Apache-2.0"
!ifdef SIGN
  !finalize '${SIGN} "%1"' = 0
  !uninstfinalize '${SIGN} "%1"' = 0
!endif

Var AllUsers      ; 1: below Program Files, for everybody
Var RemoveData
Var RemoveModels
Var DataBox
Var ModelsBox
Var MeButton
Var AllButton

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_ABORTWARNING
!define MUI_WELCOMEFINISHPAGE_BITMAP "${PICTURE}"
!insertmacro MUI_PAGE_LICENSE "${LICENCE}"
Page custom AskForWhom TakeForWhom
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!define MUI_FINISHPAGE_RUN "$INSTDIR\steward.exe"
!insertmacro MUI_PAGE_FINISH
UninstPage custom un.AskWhatGoes un.TakeWhatGoes
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "German"

LangString FOR_WHOM ${LANG_ENGLISH} "For whom is Steward installed?"
LangString FOR_WHOM ${LANG_GERMAN} "Für wen wird Steward installiert?"
LangString FOR_ME ${LANG_ENGLISH} "Only for me (no administrator needed)"
LangString FOR_ME ${LANG_GERMAN} "Nur für mich (ohne Administrator)"
LangString FOR_ALL ${LANG_ENGLISH} "For all users of this computer (asks for an administrator)"
LangString FOR_ALL ${LANG_GERMAN} "Für alle Benutzer dieses Computers (fragt nach einem Administrator)"
LangString WHAT_TITLE ${LANG_ENGLISH} "What goes besides the program?"
LangString WHAT_TITLE ${LANG_GERMAN} "Was soll außer dem Programm gehen?"
LangString WHAT_GOES ${LANG_ENGLISH} "Both stay unless you tick them."
LangString WHAT_GOES ${LANG_GERMAN} "Beides bleibt, wenn Sie nichts ankreuzen."
LangString DATA_GOES ${LANG_ENGLISH} "Conversations, notes and settings"
LangString DATA_GOES ${LANG_GERMAN} "Unterhaltungen, Notizen und Einstellungen"
LangString MODELS_GO ${LANG_ENGLISH} "Downloaded models"
LangString MODELS_GO ${LANG_GERMAN} "Heruntergeladene Modelle"
LangString IS_RUNNING ${LANG_ENGLISH} "Steward is running. Quit it in its tray menu, then press Retry."
LangString IS_RUNNING ${LANG_GERMAN} "Steward läuft noch. Beenden Sie es im Menü seines Symbols und drücken Sie Wiederholen."

!macro TakePlace
  SetShellVarContext current
  ${If} $AllUsers == 1
    SetShellVarContext all
  ${EndIf}
!macroend

Function DefaultFolder
  ${If} $AllUsers == 1
    ${If} ${RunningX64}
      StrCpy $INSTDIR "$PROGRAMFILES64\${NAME}"
    ${Else}
      StrCpy $INSTDIR "$PROGRAMFILES\${NAME}"
    ${EndIf}
  ${Else}
    StrCpy $INSTDIR "$LOCALAPPDATA\Programs\${NAME}"
  ${EndIf}
FunctionEnd

Function .onInit
  SetRegView 64
  StrCpy $AllUsers 0
  ${GetParameters} $0
  ${GetOptions} $0 "/ALLUSERS" $1
  ${IfNot} ${Errors}
    StrCpy $AllUsers 1
  ${EndIf}
  ${If} $INSTDIR == ""   ; not given with /D=
    Call DefaultFolder
  ${EndIf}
FunctionEnd

Function AskForWhom
  !insertmacro MUI_HEADER_TEXT "$(FOR_WHOM)" ""
  nsDialogs::Create 1018
  Pop $0
  ${NSD_CreateRadioButton} 0 4u 100% 12u "$(FOR_ME)"
  Pop $MeButton
  ${NSD_CreateRadioButton} 0 20u 100% 12u "$(FOR_ALL)"
  Pop $AllButton
  ${If} $AllUsers == 1
    ${NSD_Check} $AllButton
  ${Else}
    ${NSD_Check} $MeButton
  ${EndIf}
  nsDialogs::Show
FunctionEnd

Function TakeForWhom
  ${NSD_GetState} $AllButton $0
  ${If} $0 == ${BST_CHECKED}
  ${AndIf} $AllUsers == 0
    UserInfo::GetAccountType
    Pop $1
    ${If} $1 != "Admin"   ; start anew with an administrator's rights; this window's work is done
      ExecShell "runas" "$EXEPATH" "/ALLUSERS"
      Quit
    ${EndIf}
    StrCpy $AllUsers 1
    Call DefaultFolder
  ${ElseIf} $0 != ${BST_CHECKED}
  ${AndIf} $AllUsers == 1
    StrCpy $AllUsers 0
    Call DefaultFolder
  ${EndIf}
FunctionEnd

; A program that runs cannot be replaced: its file is opened for writing, which Windows then refuses.
!macro WaitUntilQuit
  ${Do}
    ClearErrors
    ${IfNot} ${FileExists} "$INSTDIR\steward.exe"
      ${ExitDo}
    ${EndIf}
    FileOpen $0 "$INSTDIR\steward.exe" a
    ${IfNot} ${Errors}
      FileClose $0
      ${ExitDo}
    ${EndIf}
    MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(IS_RUNNING)" /SD IDCANCEL IDRETRY +3
    SetErrorLevel 3
    Quit
  ${Loop}
!macroend

Section "Steward"
  !insertmacro TakePlace
  !insertmacro WaitUntilQuit
  SetOutPath "$INSTDIR"
  RMDir /r "$INSTDIR\_internal"   ; of an older version
  File /r "${BUNDLE}/*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\${NAME}.lnk" "$INSTDIR\steward.exe"
  FileOpen $0 "$INSTDIR\installed-for" w
  FileWrite $0 "$AllUsers"
  FileClose $0
  WriteRegStr SHCTX "${KEY}" DisplayName "${NAME}"
  WriteRegStr SHCTX "${KEY}" DisplayVersion "${VERSION}"
  WriteRegStr SHCTX "${KEY}" Publisher "The Steward authors"
  WriteRegStr SHCTX "${KEY}" DisplayIcon "$INSTDIR\steward.exe"
  WriteRegStr SHCTX "${KEY}" InstallLocation "$INSTDIR"
  WriteRegStr SHCTX "${KEY}" UninstallString '"$INSTDIR\uninstall.exe"'
  WriteRegStr SHCTX "${KEY}" QuietUninstallString '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD SHCTX "${KEY}" NoModify 1
  WriteRegDWORD SHCTX "${KEY}" NoRepair 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  WriteRegDWORD SHCTX "${KEY}" EstimatedSize $0
SectionEnd

Function un.onInit
  SetRegView 64
  StrCpy $AllUsers 0
  FileOpen $0 "$INSTDIR\installed-for" r
  FileRead $0 $AllUsers
  FileClose $0
  StrCpy $RemoveData 0
  StrCpy $RemoveModels 0
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/REMOVEDATA" $1
  ${IfNot} ${Errors}
    StrCpy $RemoveData 1
  ${EndIf}
  ClearErrors
  ${GetOptions} $0 "/REMOVEMODELS" $1
  ${IfNot} ${Errors}
    StrCpy $RemoveModels 1
  ${EndIf}
FunctionEnd

Function un.AskWhatGoes
  !insertmacro MUI_HEADER_TEXT "$(WHAT_TITLE)" ""
  nsDialogs::Create 1018
  Pop $0
  ${NSD_CreateLabel} 0 0 100% 24u "$(WHAT_GOES)"
  Pop $0
  ${NSD_CreateCheckbox} 0 30u 100% 12u "$(DATA_GOES)"
  Pop $DataBox
  ${NSD_CreateCheckbox} 0 46u 100% 12u "$(MODELS_GO)"
  Pop $ModelsBox
  nsDialogs::Show
FunctionEnd

Function un.TakeWhatGoes
  ${NSD_GetState} $DataBox $0
  ${If} $0 == ${BST_CHECKED}
    StrCpy $RemoveData 1
  ${EndIf}
  ${NSD_GetState} $ModelsBox $0
  ${If} $0 == ${BST_CHECKED}
    StrCpy $RemoveModels 1
  ${EndIf}
FunctionEnd

Section "Uninstall"
  !insertmacro TakePlace
  !insertmacro WaitUntilQuit
  ; Hooks in the settings of agents, the start with the computer, secrets, caches: the program knows its own.
  StrCpy $0 "purge --yes"
  ${If} $RemoveData == 0
    StrCpy $0 "$0 --keep-data"
  ${EndIf}
  ${If} $RemoveModels == 1
    StrCpy $0 "$0 --models"
  ${EndIf}
  nsExec::ExecToLog '"$INSTDIR\steward-cli.exe" $0'
  Pop $0
  DeleteRegValue HKCU "${RUN_KEY}" "${NAME}"   ; also where the program could not be started any more
  Delete "$SMPROGRAMS\${NAME}.lnk"
  RMDir /r "$INSTDIR\_internal"
  !include "${FILES}"   ; Delete lines for the files beside it: nothing of the user's in that folder goes
  Delete "$INSTDIR\installed-for"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  DeleteRegKey SHCTX "${KEY}"
SectionEnd
