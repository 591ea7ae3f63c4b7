export interface paths {
    "/voice-conversions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your voice conversions */
        get: operations["listVoiceConversions"];
        put?: never;
        /** Convert a recording to another voice */
        post: operations["createVoiceConversion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voice-conversions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One voice conversion */
        get: operations["getVoiceConversion"];
        put?: never;
        post?: never;
        /** Forget a voice conversion and delete its files */
        delete: operations["deleteVoiceConversion"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voice-conversions/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a job
         * @description A job that waits never starts; one that runs is stopped within two seconds, and nothing of it is published.
         */
        post: operations["cancelVoiceConversion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voice-conversions/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a job again: a new job that asks for the same
         * @description With the same recording, which is kept for a day after the job's end, and the same parameters.
         */
        post: operations["retryVoiceConversion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voice-conversions/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happens to a job, as server-sent events
         * @description What has happened first, then what happens; ends after the job has.
         */
        get: operations["followVoiceConversion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/vocal-separations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your vocal separations */
        get: operations["listVocalSeparations"];
        put?: never;
        /** Take what is sung out of a recording */
        post: operations["createVocalSeparation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stem-splits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your stem splits */
        get: operations["listStemSplits"];
        put?: never;
        /** Split a recording into its instruments */
        post: operations["createStemSplit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/vocal-separations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One vocal separation */
        get: operations["getVocalSeparation"];
        put?: never;
        post?: never;
        /** Forget a vocal separation and delete its files */
        delete: operations["deleteVocalSeparation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/vocal-separations/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a job
         * @description A job that waits never starts; one that runs is stopped within two seconds, and nothing of it is published.
         */
        post: operations["cancelVocalSeparation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/vocal-separations/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a job again: a new job that asks for the same
         * @description With the same recording, which is kept for a day after the job's end, and the same parameters.
         */
        post: operations["retryVocalSeparation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/vocal-separations/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happens to a job, as server-sent events
         * @description What has happened first, then what happens; ends after the job has.
         */
        get: operations["followVocalSeparation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stem-splits/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One stem split */
        get: operations["getStemSplit"];
        put?: never;
        post?: never;
        /** Forget a stem split and delete its files */
        delete: operations["deleteStemSplit"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stem-splits/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a job
         * @description A job that waits never starts; one that runs is stopped within two seconds, and nothing of it is published.
         */
        post: operations["cancelStemSplit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stem-splits/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a job again: a new job that asks for the same
         * @description With the same recording, which is kept for a day after the job's end, and the same parameters.
         */
        post: operations["retryStemSplit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stem-splits/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happens to a job, as server-sent events
         * @description What has happened first, then what happens; ends after the job has.
         */
        get: operations["followStemSplit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voice-blender": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your voice blends */
        get: operations["listVoiceBlends"];
        put?: never;
        /** Make a voice out of two to four others */
        post: operations["createVoiceBlend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voice-blender/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One voice blend */
        get: operations["getVoiceBlend"];
        put?: never;
        post?: never;
        /** Forget a voice blend; its voice stays */
        delete: operations["deleteVoiceBlend"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voice-blender/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a job
         * @description A job that waits never starts; one that runs is stopped within two seconds, and nothing of it is published.
         */
        post: operations["cancelVoiceBlend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voice-blender/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a job again: a new job that asks for the same
         * @description With the same recording, which is kept for a day after the job's end, and the same parameters.
         */
        post: operations["retryVoiceBlend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voice-blender/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happens to a job, as server-sent events
         * @description What has happened first, then what happens; ends after the job has.
         */
        get: operations["followVoiceBlend"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voice-trainings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your trainings of voices */
        get: operations["listVoiceTrainings"];
        put?: never;
        /**
         * Train a voice on recordings of it
         * @description The voice has its number at once, can be used once the job has succeeded, and belongs to you alone. Only where the operator has switched it on; see `GET /voice-trainings/consent`.
         */
        post: operations["createVoiceTraining"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voice-trainings/consent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What has to be declared before a voice is trained, and whether you may train one */
        get: operations["getTrainingConsent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/live-conversions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your live conversions */
        get: operations["listLiveConversions"];
        put?: never;
        /**
         * Convert a voice while somebody speaks
         * @description Its stream is a WebSocket, described in the page `live`. It takes a place of the server's for as long as the stream is open.
         */
        post: operations["createLiveConversion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/live-conversions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One live conversion */
        get: operations["getLiveConversion"];
        put?: never;
        post?: never;
        /**
         * End and forget a live conversion
         * @description One that runs ends within seconds.
         */
        delete: operations["deleteLiveConversion"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/live-conversions/{id}/render": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Convert what was said live as a recording
         * @description A voice conversion of what was said, which was kept because `record` was `both`: by the same voice, with the same seed, and with the knobs and effects that it had at its end, unless the request says otherwise. It has all that is ahead to look at, so it is what the live conversion could not be.
         */
        post: operations["renderLiveConversion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/live-conversions/{id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The sound of a live conversion, as a WebSocket
         * @description A WebSocket: browsers give the subprotocols `vocalhost.live.v1` and `ticket.` with the ticket, programs may give the first alone and a key.
         */
        get: operations["openLiveStream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voice-trainings/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One training of a voice */
        get: operations["getVoiceTraining"];
        put?: never;
        post?: never;
        /** Forget a training and delete its files; its voice stays */
        delete: operations["deleteVoiceTraining"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voice-trainings/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a job
         * @description A job that waits never starts; one that runs is stopped within two seconds, and nothing of it is published.
         */
        post: operations["cancelVoiceTraining"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voice-trainings/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a job again: a new job that asks for the same
         * @description With the same recording, which is kept for a day after the job's end, and the same parameters.
         */
        post: operations["retryVoiceTraining"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voice-trainings/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happens to a job, as server-sent events
         * @description What has happened first, then what happens; ends after the job has.
         */
        get: operations["followVoiceTraining"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voice-models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The voices that you may use */
        get: operations["listVoiceModels"];
        put?: never;
        /**
         * Import a voice of your own
         * @description The answer comes when the model was looked at and tried, after seconds, at most some minutes. What is missing is asked for: 422 with rule `required`, the question in `message` and the answers in `args.allowed`. An answer that cannot be is pointed out in the same way with rule `enum`, where the answers can be listed, or `answer`; one that no such model has, with `exists`.
         */
        post: operations["importVoiceModel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voice-models/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One voice
         * @description With the terms of its package, where that can be read.
         */
        get: operations["getVoiceModel"];
        put?: never;
        post?: never;
        /**
         * Delete a voice of your own
         * @description Only your own. Jobs that wait for it fail.
         */
        delete: operations["deleteOwnVoiceModel"];
        options?: never;
        head?: never;
        /**
         * Give a voice another title, tags, picture or demo
         * @description Of your own, and with the scope `admin` of everybody's that were imported or blended. What is not given stays as it is.
         */
        patch: operations["changeOwnVoiceModel"];
        trace?: never;
    };
    "/effects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The effects that a job may name */
        get: operations["listEffects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/effects/{id}/component": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The component of an effect
         * @description What a job runs. Other hosts of the interface run it, too; the console does, for its preview.
         */
        get: operations["getEffectComponent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who you are, and what your key may do */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What you have used, and how much you may */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where you are signed in to the console */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End a session of the console */
        delete: operations["revokeSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was done, by whom and from where */
        get: operations["listAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/effects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every effect, disabled ones too */
        get: operations["listInstalledEffects"];
        put?: never;
        /** Install an effect */
        post: operations["installEffect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/effects/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One effect */
        get: operations["getInstalledEffect"];
        put?: never;
        post?: never;
        /**
         * Remove an effect
         * @description Jobs that were accepted keep it until they have ended.
         */
        delete: operations["removeInstalledEffect"];
        options?: never;
        head?: never;
        /** Enable, disable or limit an effect */
        patch: operations["changeInstalledEffect"];
        trace?: never;
    };
    "/admin/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The jobs of all users */
        get: operations["listAllJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One job, whoever owns it */
        get: operations["getAnyJob"];
        put?: never;
        post?: never;
        /** Delete a job that has ended, with its files */
        delete: operations["deleteAnyJob"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stop a job */
        post: operations["cancelAnyJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{id}/requeue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take a running job from its worker and put it back into the queue */
        post: operations["requeueJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every key, without its secret */
        get: operations["listKeys"];
        put?: never;
        /** Make a key: the only time that it is shown */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One key, without its secret */
        get: operations["getKey"];
        put?: never;
        post?: never;
        /** Stop a key from working */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a key in place of another one
         * @description The body may be left out. The new key has the user, label, scopes and end of the old one.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every voice, whoever owns it */
        get: operations["listAllVoiceModels"];
        put?: never;
        /**
         * Import a model for everybody
         * @description The answer comes when the model was looked at and tried, after seconds, at most some minutes. What is missing is asked for: 422 with rule `required`, the question in `message` and the answers in `args.allowed`. An answer that cannot be is pointed out in the same way with rule `enum`, where the answers can be listed, or `answer`; one that no such model has, with `exists`.
         */
        post: operations["importModel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/models/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One voice, whoever owns it */
        get: operations["getAnyVoiceModel"];
        put?: never;
        post?: never;
        /**
         * Remove a voice that was imported or blended
         * @description Whoever owns it. Jobs that wait for it fail.
         */
        delete: operations["removeVoiceModel"];
        options?: never;
        head?: never;
        /** Enable, disable, rename, publish or take back a voice */
        patch: operations["changeVoiceModel"];
        trace?: never;
    };
    "/admin/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The servers that share the database
         * @description In the order of their names. One that ends leaves the list; one that was not heard of for an hour goes by itself.
         */
        get: operations["listNodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/packages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The model packages of the installation */
        get: operations["listPackages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/packages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One model package */
        get: operations["getPackage"];
        put?: never;
        post?: never;
        /**
         * Remove a model package that was imported
         * @description One that other models need stays unless `force` says otherwise: they cannot be used without it.
         */
        delete: operations["removePackage"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every user */
        get: operations["listUsers"];
        put?: never;
        /** Make a user without keys */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One user, with what is used */
        get: operations["getUser"];
        put?: never;
        post?: never;
        /**
         * Delete a user with everything that is theirs
         * @description Keys, jobs, files, voices, pipelines, webhooks and uploads go along; voices that were made public and the audit log stay. Jobs that are at work are stopped first.
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        /**
         * Enable, disable or limit a user
         * @description A limit of null is the setting's again.
         */
        patch: operations["changeUser"];
        trace?: never;
    };
    "/pipelines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The pipelines that you may use */
        get: operations["listPipelines"];
        put?: never;
        /** Save a chain of effects under a name */
        post: operations["createPipeline"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pipelines/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One pipeline */
        get: operations["getPipeline"];
        /** Save another chain under a name */
        put: operations["replacePipeline"];
        post?: never;
        /**
         * Forget a pipeline
         * @description Jobs that were made with it are not touched.
         */
        delete: operations["deletePipeline"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where the API, its description and its documentation are
         * @description The same at the server's root and at the API's. Browsers get a page: the console, or the links at a root of the API.
         */
        get: operations["getIndex"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The pages of the documentation */
        get: operations["listDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/{page}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A page of the documentation
         * @description The documentation that came with this version of the server, in Markdown.
         */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your jobs of all kinds */
        get: operations["listJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voice-conversions/{id}/files.zip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All files of a job in one archive */
        get: operations["getFilesOfVoiceConversion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/vocal-separations/{id}/files.zip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All files of a job in one archive */
        get: operations["getFilesOfVocalSeparation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stem-splits/{id}/files.zip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All files of a job in one archive */
        get: operations["getFilesOfStemSplit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your webhooks */
        get: operations["listWebhooks"];
        put?: never;
        /** Be told of ended jobs at an address */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One webhook */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /** Forget a webhook and its deliveries */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /** Change a webhook */
        patch: operations["changeWebhook"];
        trace?: never;
    };
    "/webhooks/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Give a webhook another secret */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a webhook something that means nothing */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was and is to be sent to a webhook */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One delivery with all its tries */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries/{deliveryId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Deliver once more */
        post: operations["replayWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voice-conversions/{id}/peaks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How far the wave of a job's recording or result reaches at each moment */
        get: operations["getVoiceConversionPeaks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voice-conversions/{id}/spectrogram": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A picture of the spectrum of a job's recording or result over time */
        get: operations["getVoiceConversionSpectrogram"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/vocal-separations/{id}/peaks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How far the wave of a job's recording or result reaches at each moment */
        get: operations["getVocalSeparationPeaks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/vocal-separations/{id}/spectrogram": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A picture of the spectrum of a job's recording or result over time */
        get: operations["getVocalSeparationSpectrogram"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stem-splits/{id}/peaks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How far the wave of a job's recording or result reaches at each moment */
        get: operations["getStemSplitPeaks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stem-splits/{id}/spectrogram": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A picture of the spectrum of a job's recording or result over time */
        get: operations["getStemSplitSpectrogram"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Announce a file that is to arrive in pieces
         * @description tus 1.0 (https://tus.io). A complete upload stands in the place of a file field by the text `upload:<id>`.
         */
        post: operations["createUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/uploads/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How much of an upload has arrived
         * @description tus 1.0 (https://tus.io). A complete upload stands in the place of a file field by the text `upload:<id>`.
         */
        get: operations["getUpload"];
        put?: never;
        post?: never;
        /**
         * Forget an upload
         * @description tus 1.0 (https://tus.io). A complete upload stands in the place of a file field by the text `upload:<id>`.
         */
        delete: operations["deleteUpload"];
        options?: never;
        head?: never;
        /**
         * Send the next piece of an upload
         * @description tus 1.0 (https://tus.io). A complete upload stands in the place of a file field by the text `upload:<id>`.
         */
        patch: operations["continueUpload"];
        trace?: never;
    };
    "/files/{expiry}/{signature}/{target}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A file that a record links to
         * @description The expiry, the signature and the rest of the path are taken from a record as they are.
         */
        get: operations["getFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/{target}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A file of the console */
        get: operations["getConsoleAsset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/config.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the console has to know of this server */
        get: operations["getConsoleConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who is signed in to the console
         * @description The cookie stands for the key in every request without an `Authorization` header that comes from a page of this server; what may change something needs the header `X-Vocalhost-Console: 1`, too.
         */
        get: operations["getConsoleSession"];
        put?: never;
        /**
         * Sign in to the console: exchange a key for a cookie
         * @description The key is kept nowhere. The session ends with it, and after the time that is set.
         */
        post: operations["openConsoleSession"];
        /** Sign out of the console */
        delete: operations["closeConsoleSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Figures about the server, for Prometheus */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process answers */
        get: operations["isAlive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the server takes work */
        get: operations["isReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "job.success": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A job has its result. */
        post: operations["onJob_success"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "job.error": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A job has failed. */
        post: operations["onJob_error"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "job.cancelled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A job was cancelled. */
        post: operations["onJob_cancelled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        Problem: {
            type: string;
            title: string;
            status: number;
            /** @description One sentence for people. */
            detail: string;
            /** @description The path of the request. */
            instance: string;
            /** @description The title again. */
            error: string;
            /** @description For programs. */
            code: string;
            /** @description The detail again. */
            message: string;
            requestId: string;
            /** @description Every mistake of an invalid request. */
            errors: components["schemas"]["FieldError"][];
        };
        FieldError: {
            /** @description A path such as `pre.noiseGate.threshold_db`. */
            field: string;
            /** @description What it breaks, such as `required`, `range`, `format`. */
            rule: string;
            message: string;
            /** @description The rule's parameters, such as `min` and `max`. */
            args: {
                [key: string]: unknown;
            };
        };
        PageMeta: {
            total: number;
            /** Format: int64 */
            perPage: number;
            /** Format: int64 */
            currentPage: number;
            /** Format: int64 */
            lastPage: number;
            /** Format: int64 */
            firstPage: number;
            firstPageUrl: string;
            lastPageUrl: string;
            nextPageUrl: string | null;
            previousPageUrl: string | null;
        };
        VoiceConversion: {
            /** Format: int64 */
            id: number;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            createdAt: string;
            /** @enum {string} */
            type: "infer";
            /** Format: int64 */
            voiceModelId: number;
            /** @enum {string} */
            status: "running" | "success" | "error" | "cancelled";
            /**
             * @description When it was accepted; once it runs, when it was started.
             * @example 2026-01-31 12:00:00.000000 +00:00
             */
            jobStartTime: string;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            jobEndTime: string | null;
            /**
             * Format: uri
             * @description The converted voice without loss.
             */
            outputFileUrl: string | null;
            /**
             * Format: uri
             * @description The converted voice as MP3.
             */
            lossyOutputFileUrl: string | null;
            /**
             * Format: uri
             * @description The converted voice over its backing, when one was given, or over the rest of the song with `isolateVocals`.
             */
            recombinedAudioFileUrl: string | null;
            /**
             * Format: uri
             * @description With `isolateVocals`: what was sung, as it was; with `clean=lead` without the voices behind the lead.
             */
            vocalAudioFileUrl: string | null;
            /**
             * Format: uri
             * @description The same as MP3.
             */
            lossyVocalAudioFileUrl: string | null;
            /**
             * Format: uri
             * @description With `isolateVocals`: the rest, which with `clean=lead` has the voices behind the lead.
             */
            backingAudioFileUrl: string | null;
            /** @description With `isolateVocals`: the same two, as a separation lists them. */
            stemFileUrls: components["schemas"]["Stem"][];
            /** @description The same as MP3. */
            lossyStemFileUrls: components["schemas"]["Stem"][];
            /** @description The voice as it is now; one that is gone has its number, the title that it had, and nothing else. */
            model: components["schemas"]["VoiceModel"];
            conversionStrength: number;
            modelVolumeMix: number;
            pitchShift: number;
            autoPitch: boolean;
            /** @description Semitones that bring the recording into the voice's register: octaves or fifths. Null until it is heard, and where it cannot be told. */
            suggestedPitchShift: number | null;
            /** @description The same request and seed give the same samples. */
            seed: number;
            isolateVocals: boolean;
            /** @description What was to be taken out of the voice first, in this order. */
            clean: ("lead" | "dereverb" | "deecho" | "denoise")[];
            /** @description `auto`, `pyin` or the id of the F0 estimator that was asked for. */
            f0Method: string;
            /** @description Null is as the voice says. */
            protect: number | null;
            /** @description Null is as the voice says. */
            speakerId: number | null;
            /** @description Null is the way of the voice's family. */
            silenceGate: boolean | null;
            /** @enum {string} */
            stage: "queued" | "decoding" | "effects" | "inference" | "encoding" | "done";
            /** @description Share of the whole job in per cent. */
            progress: number;
            /**
             * Format: int64
             * @description Its place among the waiting jobs of its kind; 1 is next.
             */
            queuePosition: number | null;
            error: components["schemas"]["JobFailure"] | null;
            /** @description Your own notes. */
            metadata: {
                [key: string]: string;
            } | null;
            priority: number;
            /**
             * Format: int64
             * @description The job that this one tries again.
             */
            retryOf: number | null;
            /**
             * Format: uri
             * @description Where its end is told.
             */
            webhookUrl: string | null;
            /** @description What it took; null before its end. */
            timings: components["schemas"]["Timings"] | null;
            /** @description Every effect that ran, in order. Of a job that failed those that it was to run, once it had begun with them; null before. */
            effects: components["schemas"]["EffectUsed"][] | null;
            /** @description What ran the model, such as `cpu`. */
            provider: string | null;
            /** @description The ids of the packages that ran, for whoever asks which models a result is of: of a conversion those of the voice, its content encoder and its F0 estimator. An id says nothing of the version: `modelsUsed` does. */
            models: string[] | null;
            /** @description The same packages in the same order with their versions, for whoever asks whether two results are of the very same models, or wants to make one again: a package may be replaced under its id. */
            modelsUsed: components["schemas"]["ModelUsed"][] | null;
            /** @description Whether the files of the result were deleted because their time was over; there are no links then. */
            filesExpired: boolean | null;
            /** @description What was done to the level of all files of the job: to come to `outputLoudness`, or what the peak guard took off when it had to. */
            gainDb: number | null;
            /** @description What is to be known of the job: what was wrong with a recording that was taken all the same, as a first look saw it, and when the job is done all of it; and voices that took the places of earlier ones. */
            warnings: components["schemas"]["JobWarning"][];
            /**
             * Format: uri
             * @description All files of the job in one ZIP.
             */
            archiveUrl: string | null;
            /** @description Of the `input` and of every sound of the result. */
            loudness: {
                [key: string]: {
                    /** @description ITU-R BS.1770; null below -70 LUFS. */
                    integratedLufs: number | null;
                    /** @description Null for digital silence. */
                    truePeakDbtp: number | null;
                };
            } | null;
            /** @enum {string} */
            outputFormat: "wav16" | "wav24" | "wav32f" | "flac" | "mp3" | "opus";
            /** @description In kbit/s, when it was given. */
            outputBitrate: number | null;
            /** @description In LUFS, when it was given. */
            outputLoudness: number | null;
            /**
             * @description When the MP3 files are made. With `on-demand` their links are here as ever, and the first request for each has it made.
             * @enum {string}
             */
            lossy: "with-job" | "on-demand";
        };
        Separation: {
            /** Format: int64 */
            id: number;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            createdAt: string;
            /** @enum {string} */
            type: "separate";
            /** @enum {string} */
            status: "running" | "success" | "error" | "cancelled";
            /**
             * @description When it was accepted; once it runs, when it was started.
             * @example 2026-01-31 12:00:00.000000 +00:00
             */
            jobStartTime: string;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            jobEndTime: string | null;
            /**
             * Format: uri
             * @description Everything sung or spoken, without loss.
             */
            vocalAudioFileUrl: string | null;
            /**
             * Format: uri
             * @description Everything sung or spoken, as MP3.
             */
            lossyVocalAudioFileUrl: string | null;
            /**
             * Format: uri
             * @description The rest, without loss.
             */
            backingAudioFileUrl: string | null;
            stemFileUrls: components["schemas"]["Stem"][];
            /** @description The same instruments in the same order. */
            lossyStemFileUrls: components["schemas"]["Stem"][];
            /** @enum {string} */
            stage: "queued" | "decoding" | "effects" | "inference" | "encoding" | "done";
            /** @description Share of the whole job in per cent. */
            progress: number;
            /**
             * Format: int64
             * @description Its place among the waiting jobs of its kind; 1 is next.
             */
            queuePosition: number | null;
            error: components["schemas"]["JobFailure"] | null;
            /** @description Your own notes. */
            metadata: {
                [key: string]: string;
            } | null;
            priority: number;
            /**
             * Format: int64
             * @description The job that this one tries again.
             */
            retryOf: number | null;
            /**
             * Format: uri
             * @description Where its end is told.
             */
            webhookUrl: string | null;
            /** @description What it took; null before its end. */
            timings: components["schemas"]["Timings"] | null;
            /** @description Every effect that ran, in order. Of a job that failed those that it was to run, once it had begun with them; null before. */
            effects: components["schemas"]["EffectUsed"][] | null;
            /** @description What ran the model, such as `cpu`. */
            provider: string | null;
            /** @description The ids of the packages that ran, for whoever asks which models a result is of: of a conversion those of the voice, its content encoder and its F0 estimator. An id says nothing of the version: `modelsUsed` does. */
            models: string[] | null;
            /** @description The same packages in the same order with their versions, for whoever asks whether two results are of the very same models, or wants to make one again: a package may be replaced under its id. */
            modelsUsed: components["schemas"]["ModelUsed"][] | null;
            /** @description Whether the files of the result were deleted because their time was over; there are no links then. */
            filesExpired: boolean | null;
            /** @description What was done to the level of all files of the job: to come to `outputLoudness`, or what the peak guard took off when it had to. */
            gainDb: number | null;
            /** @description What is to be known of the job: what was wrong with a recording that was taken all the same, as a first look saw it, and when the job is done all of it; and voices that took the places of earlier ones. */
            warnings: components["schemas"]["JobWarning"][];
            /**
             * Format: uri
             * @description All files of the job in one ZIP.
             */
            archiveUrl: string | null;
            /** @description Of the `input` and of every sound of the result. */
            loudness: {
                [key: string]: {
                    /** @description ITU-R BS.1770; null below -70 LUFS. */
                    integratedLufs: number | null;
                    /** @description Null for digital silence. */
                    truePeakDbtp: number | null;
                };
            } | null;
            /**
             * Format: int64
             * @description Channels of the recording, when it had more than two.
             */
            foldedFrom: number | null;
            /** @description Those that were asked for; null for all. */
            stems: ("vocals" | "harmony" | "reverb" | "backing" | "drums" | "bass" | "other")[] | null;
            /** @enum {string} */
            outputFormat: "wav16" | "wav24" | "wav32f" | "flac" | "mp3" | "opus";
            /** @description In kbit/s, when it was given. */
            outputBitrate: number | null;
            /** @description In LUFS, when it was given. */
            outputLoudness: number | null;
            /**
             * @description When the MP3 files are made. With `on-demand` their links are here as ever, and the first request for each has it made.
             * @enum {string}
             */
            lossy: "with-job" | "on-demand";
        };
        VoiceBlend: {
            /** Format: int64 */
            id: number;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            createdAt: string;
            /** Format: int64 */
            model1Id: number;
            /** Format: int64 */
            model2Id: number;
            /** Format: int64 */
            model3Id?: number;
            /** Format: int64 */
            model4Id?: number;
            alpha: number;
            alpha2: number;
            alpha3?: number;
            alpha4?: number;
            /** @enum {string} */
            status: "running" | "success" | "error" | "cancelled";
            /**
             * @description When it was accepted; once it runs, when it was started.
             * @example 2026-01-31 12:00:00.000000 +00:00
             */
            jobStartTime: string;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            jobEndTime: string | null;
            /**
             * Format: int64
             * @description The voice that it makes; usable from `success` on.
             */
            outputModelId: number;
            /** @enum {string} */
            stage: "queued" | "decoding" | "effects" | "inference" | "encoding" | "done";
            /** @description Share of the whole job in per cent. */
            progress: number;
            /**
             * Format: int64
             * @description Its place among the waiting jobs of its kind; 1 is next.
             */
            queuePosition: number | null;
            error: components["schemas"]["JobFailure"] | null;
            /** @description Your own notes. */
            metadata: {
                [key: string]: string;
            } | null;
            priority: number;
            /**
             * Format: int64
             * @description The job that this one tries again.
             */
            retryOf: number | null;
            /**
             * Format: uri
             * @description Where its end is told.
             */
            webhookUrl: string | null;
            /** @description What it took; null before its end. */
            timings: components["schemas"]["Timings"] | null;
            provider: string | null;
            /** @description What is to be known of the job: what was wrong with a recording that was taken all the same, as a first look saw it, and when the job is done all of it; and voices that took the places of earlier ones. */
            warnings: components["schemas"]["JobWarning"][];
            /** @description In the answer to its creation only. */
            title?: string;
        };
        VoiceTraining: {
            /** Format: int64 */
            id: number;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            createdAt: string;
            title: string;
            tags: string[];
            /** @description The voice that it was asked to start from. */
            base: "auto" | number;
            /** @enum {string} */
            preset: "quick" | "standard" | "long";
            /** @description The same recordings, parameters and seed give the same voice. */
            seed: number;
            /** @description Whether the voice is what is sung in the recordings. */
            isolateVocals: boolean;
            /** @description What was to be taken out of them first, in this order. */
            clean: ("lead" | "dereverb" | "deecho" | "denoise")[];
            /** @enum {string} */
            status: "running" | "success" | "error" | "cancelled";
            /**
             * @description When it was accepted; once it runs, when it was started.
             * @example 2026-01-31 12:00:00.000000 +00:00
             */
            jobStartTime: string;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            jobEndTime: string | null;
            /**
             * Format: int64
             * @description The voice that it makes; usable from `success` on, gone when the job ends otherwise.
             */
            outputModelId: number;
            /** @description Steps that have been taken. */
            step: number;
            /** @description Steps to take at most: a training that gets no better ends before. */
            steps: number;
            /** @description How far what the voice draws is from the recordings, in nepers; null before it has begun. */
            loss: number | null;
            /** @description The same of stretches that nothing is learned from. */
            heldOutLoss: number | null;
            /** @description How long the rest takes at this pace. */
            etaSeconds: number | null;
            /** @description Every ten steps. */
            curve: components["schemas"]["TrainingPoint"][];
            /** @description What the voice sounds like, after the first checkpoint and every hundred steps; of a job that fails or is cancelled they go. */
            tests: components["schemas"]["TrainingTest"][];
            recordings: components["schemas"]["TrainingRecording"][];
            keepRecordings: boolean;
            consent: {
                /** @description The version of the statement. */
                version: number;
                statement: string;
                /** @enum {string} */
                by: "self" | "owner-agreed" | "licence";
                name: string | null;
                /** @description The number that was to be said, where the consent came as a recording, too. */
                spoken: string | null;
            };
            /** @description Whether nobody can use the voice before an operator has enabled it. */
            review: boolean;
            /** @enum {string} */
            stage: "queued" | "decoding" | "effects" | "inference" | "encoding" | "done";
            /** @description Share of the whole job in per cent. */
            progress: number;
            /**
             * Format: int64
             * @description Its place among the waiting jobs of its kind; 1 is next.
             */
            queuePosition: number | null;
            error: components["schemas"]["JobFailure"] | null;
            /** @description Your own notes. */
            metadata: {
                [key: string]: string;
            } | null;
            priority: number;
            /**
             * Format: int64
             * @description The job that this one tries again.
             */
            retryOf: number | null;
            /**
             * Format: uri
             * @description Where its end is told.
             */
            webhookUrl: string | null;
            /** @description What it took; null before its end. */
            timings: components["schemas"]["Timings"] | null;
            provider: string | null;
            /** @description The ids of the packages that ran, the voice that it started from among them. */
            models: string[] | null;
            modelsUsed: components["schemas"]["ModelUsed"][] | null;
            /** @description What is to be known of the job: what was wrong with a recording that was taken all the same, as a first look saw it, and when the job is done all of it; and voices that took the places of earlier ones. */
            warnings: components["schemas"]["JobWarning"][];
        };
        LiveConversion: {
            /** Format: int64 */
            id: number;
            /** @enum {string} */
            type: "live-conversion";
            /**
             * @description `waiting` until its stream is opened, within 30 seconds.
             * @enum {string}
             */
            status: "waiting" | "running" | "ended";
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            createdAt: string;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            startedAt: string | null;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            completedAt: string | null;
            /**
             * @description Why it ended.
             * @enum {string|null}
             */
            endReason: "stopped" | "idle" | "minutes" | "disconnected" | "workerLost" | "protocol" | "cancelled" | "expired" | "serverStopped" | null;
            /** Format: int64 */
            voiceModelId: number;
            /** @description The voice as it is now; one that is gone has its number, the title that it had, and nothing else. */
            model: components["schemas"]["VoiceModel"];
            pitchShift: number;
            conversionStrength: number;
            modelVolumeMix: number;
            seed: number;
            pre: components["schemas"]["EffectUsed"][];
            post: components["schemas"]["EffectUsed"][];
            /** @enum {string} */
            latency: "low" | "balanced" | "best";
            /** @description How late sound comes out, in milliseconds; the time of computing comes on top. */
            latencyMs: {
                block: number;
                lookAhead: number;
                /** @description Of its effects, known once the stream is open. */
                effects: number;
                /** @description Of the way between rates, known once the stream is open. */
                resampling: number;
                total: number;
            };
            sampleRate: number;
            /**
             * @description How samples are written both ways: mono, little-endian, whole numbers of 16 bits or floats of 32.
             * @enum {string}
             */
            sampleFormat: "s16le" | "f32le";
            maxMinutes: number;
            /**
             * @description What is kept: nothing, what comes out, or what is said, too.
             * @enum {string}
             */
            record: "none" | "output" | "both";
            /** @description What was said, as a WAV file; null while it runs, where it was not kept, and once it is as old as results may be. */
            inputFileUrl: string | null;
            /** @description What came out, likewise; what was dropped is silence. */
            outputFileUrl: string | null;
            /** @description The level of the speaker over what sounded: given with the next one, it is right from the first word on. */
            inputLevelRms: number | null;
            /** @description Sound that was heard. */
            seconds: number;
            /** @description Sound that was dropped because the server or the client was behind. */
            droppedMs: number;
            /** @description Time in which no sound came. */
            starvedMs: number;
            /** @description Blocks that took longer to compute than they last. */
            lateBlocks: number;
            /** @description The time of computing of a block. */
            blockMs: {
                median: number | null;
                p99: number | null;
            };
            /** @description Where the stream is opened, as a WebSocket; null once it ended. */
            streamUrl: string | null;
            /** @description Opens the stream, once, within 30 seconds. Only in the answer to the request that made it. */
            ticket?: string;
        };
        TrainingPoint: {
            step: number;
            loss: number;
            heldOutLoss: number | null;
        };
        TrainingTest: {
            step: number;
            /** Format: uri */
            url: string;
        };
        TrainingRecording: {
            /** @description As its file was called. */
            name: string;
            /** @enum {string} */
            format: "wav" | "mp3" | "flac" | "webm";
            bytes: number;
            /** @description Null where only decoding all of it would tell. */
            seconds: number | null;
            sha256: string;
        };
        VoiceModel: {
            /** Format: int64 */
            id: number;
            title: string;
            tags: string[];
            /** Format: uri */
            imageUrl: string | null;
            /** Format: uri */
            demoUrl: string | null;
            twitterLink: string | null;
            instagramLink: string | null;
            tiktokLink: string | null;
            spotifyLink: string | null;
            youtubeLink: string | null;
            /** @description Its package is whole, and a blend has succeeded. */
            isUsable: boolean;
            /** @description Why it cannot be used, if it cannot. */
            unusableReason: string | null;
        };
        VoiceModelWithTerms: {
            /** Format: int64 */
            id: number;
            title: string;
            tags: string[];
            /** Format: uri */
            imageUrl: string | null;
            /** Format: uri */
            demoUrl: string | null;
            twitterLink: string | null;
            instagramLink: string | null;
            tiktokLink: string | null;
            spotifyLink: string | null;
            youtubeLink: string | null;
            /** @description Its package is whole, and a blend has succeeded. */
            isUsable: boolean;
            /** @description Why it cannot be used, if it cannot. */
            unusableReason: string | null;
            terms: components["schemas"]["Terms"] | null;
        };
        Terms: {
            /** @description An SPDX expression, or words. */
            license: string;
            /** @description Who must be named. */
            attribution: string;
            trainedOn: string;
            /** @description How the owner of the voice agreed, or why nobody has to. */
            consent: string;
            sourceUrl: string | null;
            /** @description The day of its making. */
            created: string;
            /** @description Of a blend, the voices that it was made of. */
            sources: {
                packageId: string;
                name: string;
                version: string;
                /** @description Its share in the blend. */
                share: number;
                /** @description An SPDX expression, or words. */
                license: string;
                /** @description Who must be named. */
                attribution: string;
                trainedOn: string;
                /** @description How the owner of the voice agreed, or why nobody has to. */
                consent: string;
                sourceUrl: string | null;
            }[];
        };
        ImportedVoiceModel: {
            /** Format: int64 */
            id: number;
            title: string;
            tags: string[];
            /** Format: uri */
            imageUrl: string | null;
            /** Format: uri */
            demoUrl: string | null;
            twitterLink: string | null;
            instagramLink: string | null;
            tiktokLink: string | null;
            spotifyLink: string | null;
            youtubeLink: string | null;
            /** @description Its package is whole, and a blend has succeeded. */
            isUsable: boolean;
            /** @description Why it cannot be used, if it cannot. */
            unusableReason: string | null;
            family: string;
            /** @description What was found, a sentence each. */
            found: string[];
        };
        ImportedModel: components["schemas"]["ImportedVoiceModel"] | components["schemas"]["ImportedPackage"];
        ImportedPackage: {
            packageId: string;
            name: string;
            version: string;
            /** @enum {string} */
            kind: "voice" | "content" | "f0" | "separator" | "speaker";
            family: string;
            /** @description What a separator separates. */
            task: string | null;
            /** @description Its task, when jobs of that use it and no other separator. */
            usedFor: string | null;
            /** @description What its graph gives, in the graph's order; separators only. */
            stems: string[] | null;
            /** @description The packages of an ensemble. */
            members: string[] | null;
            sampleRate: number;
            /** @description Length of the transform that the host makes for it. */
            nFft: number | null;
            /** @description What a voice listens with and was trained on. */
            listens: {
                /** @description The package of its content encoder; null where it takes one that fits. */
                content: string | null;
                /** @description That of its F0 estimator, or `pyin`; null where it takes the one that is used. */
                f0: string | null;
                hearsPitch: boolean;
                /** @description The generation of RVC's architecture. */
                version: string | null;
                /** @description The layer of the encoder that a voice of RVC was trained on. */
                contentLayer: number | null;
                contentChannels: number;
                speaker: number;
                /** @description Vectors of its retrieval index. */
                indexRows: number | null;
            } | null;
            /** @description The vectors that a content encoder gives. */
            contentVectors: {
                channels: number;
                /** @description Null where it is told the layer, or has none to name. */
                layer: number | null;
            }[] | null;
            license: string;
            attribution: string;
            trainedOn: string;
            /** @description How the owner of a voice agreed. */
            consent: string;
            sourceUrl: string | null;
            /** @description The day of its making. */
            created: string;
            bytes: number;
            /** @description What was found, a sentence each. */
            found: string[];
        };
        Package: {
            packageId: string;
            name: string;
            version: string;
            /** @enum {string} */
            kind: "voice" | "content" | "f0" | "separator" | "speaker";
            family: string;
            /** @description What a separator separates. */
            task: string | null;
            /** @description Its task, when jobs of that use it and no other separator. */
            usedFor: string | null;
            /** @description What its graph gives, in the graph's order; separators only. */
            stems: string[] | null;
            /** @description The packages of an ensemble. */
            members: string[] | null;
            sampleRate: number;
            /** @description Length of the transform that the host makes for it. */
            nFft: number | null;
            /** @description What a voice listens with and was trained on. */
            listens: {
                /** @description The package of its content encoder; null where it takes one that fits. */
                content: string | null;
                /** @description That of its F0 estimator, or `pyin`; null where it takes the one that is used. */
                f0: string | null;
                hearsPitch: boolean;
                /** @description The generation of RVC's architecture. */
                version: string | null;
                /** @description The layer of the encoder that a voice of RVC was trained on. */
                contentLayer: number | null;
                contentChannels: number;
                speaker: number;
                /** @description Vectors of its retrieval index. */
                indexRows: number | null;
            } | null;
            /** @description The vectors that a content encoder gives. */
            contentVectors: {
                channels: number;
                /** @description Null where it is told the layer, or has none to name. */
                layer: number | null;
            }[] | null;
            license: string;
            attribution: string;
            trainedOn: string;
            /** @description How the owner of a voice agreed. */
            consent: string;
            sourceUrl: string | null;
            /** @description The day of its making. */
            created: string;
            bytes: number;
        };
        Effect: {
            /** @description Stable and globally unique. */
            id: string;
            name: string;
            version: string;
            vendor: string;
            summary: string;
            tags: string[];
            /** @description Channels in and out, best first; none for any number of channels. */
            layouts: {
                inputs: number;
                outputs: number;
            }[];
            parameters: {
                id: string;
                name: string;
                group: string;
                summary: string;
                /** @enum {string} */
                type: "number" | "toggle" | "choice";
                default: number | boolean | string;
                min?: number;
                max?: number;
                /** @description Distance between values, from the smallest on; 0 is continuous. */
                step?: number;
                unit?: string;
                /** @enum {string} */
                scale?: "linear" | "logarithmic";
                options?: {
                    id: string;
                    name: string;
                }[];
                advanced: boolean;
            }[];
            presets: {
                id: string;
                name: string;
                settings: {
                    [key: string]: number | boolean | string;
                };
            }[];
            /** @description Its short name in `pre` and `post`. */
            alias: string | null;
            /** @description SHA-256 of its component. */
            digest: string;
        };
        InstalledEffect: {
            /** @description Stable and globally unique. */
            id: string;
            name: string;
            version: string;
            vendor: string;
            summary: string;
            tags: string[];
            /** @description Channels in and out, best first; none for any number of channels. */
            layouts: {
                inputs: number;
                outputs: number;
            }[];
            parameters: {
                id: string;
                name: string;
                group: string;
                summary: string;
                /** @enum {string} */
                type: "number" | "toggle" | "choice";
                default: number | boolean | string;
                min?: number;
                max?: number;
                /** @description Distance between values, from the smallest on; 0 is continuous. */
                step?: number;
                unit?: string;
                /** @enum {string} */
                scale?: "linear" | "logarithmic";
                options?: {
                    id: string;
                    name: string;
                }[];
                advanced: boolean;
            }[];
            presets: {
                id: string;
                name: string;
                settings: {
                    [key: string]: number | boolean | string;
                };
            }[];
            /** @description Its short name in `pre` and `post`. */
            alias: string | null;
            /** @description SHA-256 of its component. */
            digest: string;
            enabled: boolean;
            /** @enum {string} */
            origin: "builtin" | "installed";
            bytes: number;
            limits: {
                memoryBytes: number;
                workPerAudio: number;
            };
            /** @description Limits of its own in the place of the settings'. */
            overrides: {
                memoryBytes: number | null;
                workPerAudio: number | null;
            };
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            installedAt: string;
            installedBy: string | null;
            /** @description The key that its id belongs to, from its first signed install on. */
            publicKey: string | null;
        };
        Pipeline: {
            name: string;
            /** @description Whether everybody may use it. */
            shared: boolean;
            isMine: boolean;
            chain: components["schemas"]["EffectList"];
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            createdAt: string;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            updatedAt: string;
        };
        User: {
            /** Format: int64 */
            id: number;
            name: string;
            enabled: boolean;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            createdAt: string;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            disabledAt: string | null;
            /** @description Limits of the user's own; null where the settings' hold. */
            limits: {
                maxRunning: number | null;
                maxQueued: number | null;
                storageQuotaBytes: number | null;
                audioMinutesQuota: number | null;
            };
            /** @description Only when one user is asked for. */
            usage?: {
                storage: {
                    bytes: number;
                    /** @description null when there is none. */
                    quotaBytes: number | null;
                };
                audio: {
                    /** @description The days that are counted, today among them. */
                    days: number;
                    minutes: number;
                    /** @description null when there is none. */
                    quotaMinutes: number | null;
                    /** @description Jobs that were accepted in these days. */
                    jobs: number;
                };
                jobs: {
                    running: number;
                    maxRunning: number;
                    queued: number;
                    maxQueued: number;
                    /** @description Jobs whose records are there. */
                    byKind: {
                        [key: string]: {
                            running: number;
                            success: number;
                            error: number;
                            cancelled: number;
                        };
                    };
                };
            };
        };
        Key: {
            /** @description The part of the key before the dot. */
            id: string;
            user: string;
            label: string;
            scopes: ("read" | "write" | "admin")[];
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            createdAt: string;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            expiresAt: string | null;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            revokedAt: string | null;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            lastUsedAt: string | null;
            /** @description The whole key, only when it was just made. */
            key?: string;
        };
        ListedVoiceModel: {
            /** Format: int64 */
            id: number;
            packageId: string;
            title: string;
            tags: string[];
            instrument: boolean;
            owner: string | null;
            public: boolean;
            /** @description Whose it was before it was made public. */
            publishedFrom: string | null;
            enabled: boolean;
            isUsable: boolean;
            /** @description Why it cannot be used, if it cannot. */
            unusableReason: string | null;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            createdAt: string;
            /** @description What its package says about itself; only where one voice is read. */
            package?: components["schemas"]["Package"] | null;
        };
        ListedJob: {
            /** Format: int64 */
            id: number;
            /** @enum {string} */
            kind: "voice-conversions" | "vocal-separations" | "stem-splits" | "voice-blender" | "voice-trainings";
            user: string;
            /** @enum {string} */
            status: "running" | "success" | "error" | "cancelled";
            /** @enum {string} */
            state: "queued" | "running" | "cancelling" | "succeeded" | "failed" | "cancelled";
            stage: string;
            progress: number;
            attempts: number;
            failures: number;
            workerDeaths: number;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            createdAt: string;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            jobStartTime: string;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            jobEndTime: string | null;
            inputBytes: number | null;
            inputDurationS: number | null;
            requestId: string;
            /** Format: int64 */
            retryOf: number | null;
            error: components["schemas"]["JobFailure"] | null;
        };
        Node: {
            /** @description Kept in its data folder. */
            id: string;
            /** @description The setting `node_name`, or what its machine is called. */
            name: string;
            /** @enum {string} */
            role: "all" | "api" | "worker";
            /** @description The kinds of job that it runs. */
            queues: ("voice-conversion" | "vocal-separation" | "stem-split" | "voice-blend" | "voice-training")[];
            /** @description The version of the program. */
            release: string;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            startedAt: string;
            /**
             * @description When it last said that it is there.
             * @example 2026-01-31 12:00:00.000000 +00:00
             */
            lastSeenAt: string;
            /** @description It has not said so for a while: it is dead, or cut off from the database. */
            isSilent: boolean;
            /** @description It was told to stop, and ends with the jobs that it has. */
            isDraining: boolean;
            runningJobs: number;
        };
        ConsoleSession: {
            /** @description The session's public part. */
            id: string;
            user: string;
            scopes: ("read" | "write" | "admin")[];
            /** @description The part before the dot of the key that it was opened with. */
            keyId: string;
            /**
             * @description It ends earlier with its key.
             * @example 2026-01-31 12:00:00.000000 +00:00
             */
            expiresAt: string;
        };
        ListedConsoleSession: {
            id: string;
            /** @description The part before the dot of the key that it was opened with. */
            keyId: string;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            createdAt: string;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            expiresAt: string;
            /**
             * @description To the minute.
             * @example 2026-01-31 12:00:00.000000 +00:00
             */
            lastUsedAt: string;
            /** @description Where it was opened from. */
            address: string | null;
            /** @description What the browser said of itself. */
            userAgent: string | null;
            /** @description Whether this very request came by it. */
            current: boolean;
        };
        AuditLine: {
            /** Format: int64 */
            id: number;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            at: string;
            /** @description null for the server itself. */
            user: string | null;
            /** @description null on the command line. */
            keyId: string | null;
            requestId: string | null;
            address: string | null;
            /** @description The operation's id. */
            action: string;
            target: string;
            /** @description `ok`, or the status of the refusal. */
            outcome: string;
        };
        JobFailure: {
            /** @enum {string} */
            code: "input_damaged" | "effect_failed" | "effect_refused" | "model_unavailable" | "model_failed" | "models_differ" | "recordings_unfit" | "timeout" | "out_of_memory" | "out_of_space" | "worker_died" | "internal";
            message: string;
            /** @description Whether the same request may succeed when it is tried again. */
            retryable: boolean;
        };
        Timings: {
            /** @description From its begin on a worker to its end. */
            wallSeconds: number;
            /** @description What the processor worked, summed up over threads, for those of the parts that there were: `decode`, `effects`, `network`, `transforms`, `join`, `measure`, `encode`, `hash`, `wait`. `rest` is what is no other part, `wait` the time for which threads waited for a device. */
            threadSeconds: {
                [key: string]: number;
            };
        };
        JobEvent: {
            /** @description Its number, for `Last-Event-ID`. */
            id?: string;
            /** @enum {string} */
            event?: "created" | "started" | "progress" | "requeued" | "cancelling" | "ended";
            /** @description JSON: `at`, `status`, `stage`, `progress`, and what there is to say beside them. */
            data?: string;
            retry?: number;
        };
        Peaks: {
            file: string;
            /** Format: int64 */
            sampleRate: number;
            frames: number;
            points: number;
            channels: {
                min: number[];
                max: number[];
            }[];
        };
        JobWarning: {
            /**
             * @description `voice_replaced`: the number of the voice stood for an earlier generation of it, whose package is gone; the later one is used. `input_cut`: the file ends before its header or tag says, and is heard as far as it goes. `input_damaged`: a stretch cannot be decoded and is silent. `input_not_finite`: samples are no finite numbers and are zero. `input_monotone`: the pitch of the recordings that a voice is trained on hardly moves. `input_too_long`: more was given to train a voice on than is used. `input_several_speakers`: the recordings that a voice is trained on may be of more than one person.
             * @enum {string}
             */
            code: "input_cut" | "input_damaged" | "input_not_finite" | "input_monotone" | "input_too_long" | "input_several_speakers" | "voice_replaced";
            message: string;
            /** @description Where it begins in what is heard; null where it is about no recording. */
            atSeconds: number | null;
            /** @description How much of the sound is not heard, where that is known. */
            seconds: number | null;
            /**
             * @description The field of the request that it is about.
             * @enum {string}
             */
            field: "soundFile" | "backingSoundFile" | "inputFile" | "voiceModelId" | "base" | "modelId1" | "modelId2" | "modelId3" | "modelId4";
        };
        EffectUsed: {
            id: string;
            version: string;
            digest: string;
        };
        ModelUsed: {
            id: string;
            /** @description Null in records from before it was kept. */
            version: string | null;
        };
        Stem: {
            /** @enum {string} */
            instrument: "vocals" | "harmony" | "reverb" | "backing" | "drums" | "bass" | "other";
            /** Format: uri */
            url: string;
        };
        Webhook: {
            /** Format: int64 */
            id: number;
            /** Format: uri */
            url: string | null;
            /** @description It signs what goes to the `webhookUrl` of jobs. */
            forJobs: boolean;
            /** @description None means all. */
            events: ("job.success" | "job.error" | "job.cancelled")[];
            description: string;
            enabled: boolean;
            /** @description Why the server gave up. */
            disabledReason: string | null;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            createdAt: string;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            lastSuccessAt: string | null;
        };
        WebhookDelivery: {
            /** Format: int64 */
            id: number;
            /** Format: int64 */
            webhookId: number;
            /** @description The header `webhook-id` of every try. */
            messageId: string;
            /** @enum {string} */
            event: "job.success" | "job.error" | "job.cancelled" | "webhook.test";
            /** Format: int64 */
            jobId: number | null;
            /** @enum {string} */
            state: "pending" | "delivered" | "failed";
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            createdAt: string;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            endedAt: string | null;
            /** @example 2026-01-31 12:00:00.000000 +00:00 */
            nextAttemptAt: string | null;
            attempts: {
                /** @example 2026-01-31 12:00:00.000000 +00:00 */
                at: string;
                durationMs: number;
                /** @description What the receiver answered. */
                status: number | null;
                error: string | null;
                /** @description How its answer began. */
                answer: string | null;
            }[];
        };
        Chain: components["schemas"]["EffectsByName"] | components["schemas"]["EffectList"] | components["schemas"]["SavedChain"] | null;
        /** @description By name, in a set order: `noiseGate`, `highPassFilter`, `lowPassFilter`, `compressor` before; `compressor`, `chorus`, `delay`, `reverb` after. */
        EffectsByName: {
            noiseGate?: {
                /** @default -100 */
                threshold_db?: number;
                /** @default 10 */
                ratio?: number;
                /** @default 1 */
                attack_ms?: number;
                /** @default 100 */
                release_ms?: number;
            } | (boolean | null);
            highPassFilter?: {
                /** @default 50 */
                cutoff_frequency_hz?: number;
            } | (boolean | null);
            lowPassFilter?: {
                /** @default 50 */
                cutoff_frequency_hz?: number;
            } | (boolean | null);
            compressor?: {
                /** @default 0 */
                threshold_db?: number;
                /** @default 1 */
                ratio?: number;
                /** @default 1 */
                attack_ms?: number;
                /** @default 100 */
                release_ms?: number;
            } | (boolean | null);
            chorus?: {
                /** @default 1 */
                rate_hz?: number;
                /** @default 0.25 */
                depth?: number;
                /** @default 7 */
                centre_delay_ms?: number;
                /** @default 0 */
                feedback?: number;
                /** @default 0.5 */
                mix?: number;
            } | (boolean | null);
            delay?: {
                /** @default 0.5 */
                delay_seconds?: number;
                /** @default 0 */
                feedback?: number;
                /** @default 0.5 */
                mix?: number;
            } | (boolean | null);
            reverb?: {
                /** @default 0.5 */
                room_size?: number;
                /** @default 0.5 */
                damping?: number;
                /** @default 0.33 */
                wet_level?: number;
                /** @default 0.4 */
                dry_level?: number;
                /** @default 1 */
                width?: number;
                /** @default 0 */
                freeze_mode?: number;
            } | (boolean | null);
        };
        /** @description Any installed effects, in the order in which they run. */
        EffectList: (components["schemas"]["ListedEffect"] | string)[];
        ListedEffect: {
            /** @description An id or a name of `/effects`, with `@` and a version if need be. */
            effect: string;
            /** @description Its parameters; false leaves the effect out. */
            params?: {
                [key: string]: number | boolean | string;
            } | (boolean | null);
        };
        /** @description A chain that was saved under a name. */
        SavedChain: {
            pipeline: string;
        };
        ChecksumUnknownProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_CHECKSUM_UNKNOWN";
        };
        EffectBuiltInProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_EFFECT_BUILT_IN";
        };
        EffectIdTakenOrEffectVersionTakenOrIdempotencyInProgressProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_EFFECT_ID_TAKEN" | "E_EFFECT_VERSION_TAKEN" | "E_IDEMPOTENCY_IN_PROGRESS";
        };
        ForbiddenExceptionProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_FORBIDDEN_EXCEPTION";
        };
        IdempotencyInProgressProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_IDEMPOTENCY_IN_PROGRESS";
        };
        IdempotencyInProgressOrJobNotRunningProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_IDEMPOTENCY_IN_PROGRESS" | "E_JOB_NOT_RUNNING";
        };
        IdempotencyInProgressOrJobRunningProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_IDEMPOTENCY_IN_PROGRESS" | "E_JOB_RUNNING";
        };
        IdempotencyInProgressOrModelIdTakenProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_IDEMPOTENCY_IN_PROGRESS" | "E_MODEL_ID_TAKEN";
        };
        IdempotencyInProgressOrNotRecordedProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_IDEMPOTENCY_IN_PROGRESS" | "E_NOT_RECORDED";
        };
        IdempotencyInProgressOrWebhookDisabledProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_IDEMPOTENCY_IN_PROGRESS" | "E_WEBHOOK_DISABLED";
        };
        IdempotencyInProgressOrWebhookDisabledOrWebhookWithoutUrlProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_IDEMPOTENCY_IN_PROGRESS" | "E_WEBHOOK_DISABLED" | "E_WEBHOOK_WITHOUT_URL";
        };
        IdempotencyKeyReusedOrValidationFailureProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_IDEMPOTENCY_KEY_REUSED" | "E_VALIDATION_FAILURE";
        };
        InputExpiredProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_INPUT_EXPIRED";
        };
        InputExpiredOrResultExpiredProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_INPUT_EXPIRED" | "E_RESULT_EXPIRED";
        };
        InternalProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_INTERNAL";
        };
        JobRunningProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_JOB_RUNNING";
        };
        JobRunningOrLastAdminProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_JOB_RUNNING" | "E_LAST_ADMIN";
        };
        JobRunningOrModelNeverOwnedProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_JOB_RUNNING" | "E_MODEL_NEVER_OWNED";
        };
        JobRunningOrModelNotImportedProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_JOB_RUNNING" | "E_MODEL_NOT_IMPORTED";
        };
        LastAdminProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_LAST_ADMIN";
        };
        LiveNotWaitingProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_LIVE_NOT_WAITING";
        };
        ModelNeededOrModelNotImportedProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_MODEL_NEEDED" | "E_MODEL_NOT_IMPORTED";
        };
        ModelNotImportedProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_MODEL_NOT_IMPORTED";
        };
        QuotaExceededOrTooManyRequestsProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_QUOTA_EXCEEDED" | "E_TOO_MANY_REQUESTS";
        };
        RangeNotSatisfiableProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_RANGE_NOT_SATISFIABLE";
        };
        RequestTimeoutProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_REQUEST_TIMEOUT";
        };
        ResultExpiredProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_RESULT_EXPIRED";
        };
        RowNotFoundProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_ROW_NOT_FOUND";
        };
        ServiceUnavailableProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_SERVICE_UNAVAILABLE";
        };
        TooManyRequestsProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_TOO_MANY_REQUESTS";
        };
        TusVersionProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_TUS_VERSION";
        };
        UnauthorizedAccessProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_UNAUTHORIZED_ACCESS";
        };
        UnsupportedMediaTypeProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_UNSUPPORTED_MEDIA_TYPE";
        };
        UploadChecksumProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_UPLOAD_CHECKSUM";
        };
        UploadLockedProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_UPLOAD_LOCKED";
        };
        UploadOffsetProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_UPLOAD_OFFSET";
        };
        UploadTooLargeProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_UPLOAD_TOO_LARGE";
        };
        UrlExpiredOrUrlInvalidProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_URL_EXPIRED" | "E_URL_INVALID";
        };
        ValidationFailureProblem: components["schemas"]["Problem"] & {
            /** @enum {string} */
            code?: "E_VALIDATION_FAILURE";
        };
    };
    responses: {
        /** @description Bad Request: E_CHECKSUM_UNKNOWN. */
        ChecksumUnknown: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ChecksumUnknownProblem"];
            };
        };
        /** @description Conflict: E_EFFECT_BUILT_IN. */
        EffectBuiltIn: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["EffectBuiltInProblem"];
            };
        };
        /** @description Conflict: E_EFFECT_ID_TAKEN, E_EFFECT_VERSION_TAKEN, E_IDEMPOTENCY_IN_PROGRESS. */
        EffectIdTakenOrEffectVersionTakenOrIdempotencyInProgress: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["EffectIdTakenOrEffectVersionTakenOrIdempotencyInProgressProblem"];
            };
        };
        /** @description Forbidden: E_FORBIDDEN_EXCEPTION. */
        ForbiddenException: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ForbiddenExceptionProblem"];
            };
        };
        /** @description Conflict: E_IDEMPOTENCY_IN_PROGRESS. */
        IdempotencyInProgress: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["IdempotencyInProgressProblem"];
            };
        };
        /** @description Conflict: E_IDEMPOTENCY_IN_PROGRESS, E_JOB_NOT_RUNNING. */
        IdempotencyInProgressOrJobNotRunning: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["IdempotencyInProgressOrJobNotRunningProblem"];
            };
        };
        /** @description Conflict: E_IDEMPOTENCY_IN_PROGRESS, E_JOB_RUNNING. */
        IdempotencyInProgressOrJobRunning: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["IdempotencyInProgressOrJobRunningProblem"];
            };
        };
        /** @description Conflict: E_IDEMPOTENCY_IN_PROGRESS, E_MODEL_ID_TAKEN. */
        IdempotencyInProgressOrModelIdTaken: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["IdempotencyInProgressOrModelIdTakenProblem"];
            };
        };
        /** @description Conflict: E_IDEMPOTENCY_IN_PROGRESS, E_NOT_RECORDED. */
        IdempotencyInProgressOrNotRecorded: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["IdempotencyInProgressOrNotRecordedProblem"];
            };
        };
        /** @description Conflict: E_IDEMPOTENCY_IN_PROGRESS, E_WEBHOOK_DISABLED. */
        IdempotencyInProgressOrWebhookDisabled: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["IdempotencyInProgressOrWebhookDisabledProblem"];
            };
        };
        /** @description Conflict: E_IDEMPOTENCY_IN_PROGRESS, E_WEBHOOK_DISABLED, E_WEBHOOK_WITHOUT_URL. */
        IdempotencyInProgressOrWebhookDisabledOrWebhookWithoutUrl: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["IdempotencyInProgressOrWebhookDisabledOrWebhookWithoutUrlProblem"];
            };
        };
        /** @description Unprocessable Entity: E_IDEMPOTENCY_KEY_REUSED, E_VALIDATION_FAILURE. */
        IdempotencyKeyReusedOrValidationFailure: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["IdempotencyKeyReusedOrValidationFailureProblem"];
            };
        };
        /** @description Gone: E_INPUT_EXPIRED. */
        InputExpired: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["InputExpiredProblem"];
            };
        };
        /** @description Gone: E_INPUT_EXPIRED, E_RESULT_EXPIRED. */
        InputExpiredOrResultExpired: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["InputExpiredOrResultExpiredProblem"];
            };
        };
        /** @description Internal Server Error: E_INTERNAL. */
        Internal: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["InternalProblem"];
            };
        };
        /** @description Conflict: E_JOB_RUNNING. */
        JobRunning: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["JobRunningProblem"];
            };
        };
        /** @description Conflict: E_JOB_RUNNING, E_LAST_ADMIN. */
        JobRunningOrLastAdmin: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["JobRunningOrLastAdminProblem"];
            };
        };
        /** @description Conflict: E_JOB_RUNNING, E_MODEL_NEVER_OWNED. */
        JobRunningOrModelNeverOwned: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["JobRunningOrModelNeverOwnedProblem"];
            };
        };
        /** @description Conflict: E_JOB_RUNNING, E_MODEL_NOT_IMPORTED. */
        JobRunningOrModelNotImported: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["JobRunningOrModelNotImportedProblem"];
            };
        };
        /** @description Conflict: E_LAST_ADMIN. */
        LastAdmin: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["LastAdminProblem"];
            };
        };
        /** @description Conflict: E_LIVE_NOT_WAITING. */
        LiveNotWaiting: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["LiveNotWaitingProblem"];
            };
        };
        /** @description Conflict: E_MODEL_NEEDED, E_MODEL_NOT_IMPORTED. */
        ModelNeededOrModelNotImported: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ModelNeededOrModelNotImportedProblem"];
            };
        };
        /** @description Conflict: E_MODEL_NOT_IMPORTED. */
        ModelNotImported: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ModelNotImportedProblem"];
            };
        };
        /** @description Too Many Requests: E_QUOTA_EXCEEDED, E_TOO_MANY_REQUESTS. */
        QuotaExceededOrTooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                "Retry-After": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["QuotaExceededOrTooManyRequestsProblem"];
            };
        };
        /** @description Range Not Satisfiable: E_RANGE_NOT_SATISFIABLE. */
        RangeNotSatisfiable: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                "Content-Range": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["RangeNotSatisfiableProblem"];
            };
        };
        /** @description Request Timeout: E_REQUEST_TIMEOUT. */
        RequestTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["RequestTimeoutProblem"];
            };
        };
        /** @description Gone: E_RESULT_EXPIRED. */
        ResultExpired: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ResultExpiredProblem"];
            };
        };
        /** @description Not Found: E_ROW_NOT_FOUND. */
        RowNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["RowNotFoundProblem"];
            };
        };
        /** @description Service Unavailable: E_SERVICE_UNAVAILABLE. */
        ServiceUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                "Retry-After": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ServiceUnavailableProblem"];
            };
        };
        /** @description Too Many Requests: E_TOO_MANY_REQUESTS. */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                "Retry-After": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["TooManyRequestsProblem"];
            };
        };
        /** @description Precondition Failed: E_TUS_VERSION. */
        TusVersion: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["TusVersionProblem"];
            };
        };
        /** @description Unauthorized: E_UNAUTHORIZED_ACCESS. */
        UnauthorizedAccess: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                "WWW-Authenticate": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["UnauthorizedAccessProblem"];
            };
        };
        /** @description Unsupported Media Type: E_UNSUPPORTED_MEDIA_TYPE. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
            };
        };
        /** @description Refused: E_UPLOAD_CHECKSUM. */
        UploadChecksum: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["UploadChecksumProblem"];
            };
        };
        /** @description Locked: E_UPLOAD_LOCKED. */
        UploadLocked: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["UploadLockedProblem"];
            };
        };
        /** @description Conflict: E_UPLOAD_OFFSET. */
        UploadOffset: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["UploadOffsetProblem"];
            };
        };
        /** @description Payload Too Large: E_UPLOAD_TOO_LARGE. */
        UploadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["UploadTooLargeProblem"];
            };
        };
        /** @description Forbidden: E_URL_EXPIRED, E_URL_INVALID. */
        UrlExpiredOrUrlInvalid: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["UrlExpiredOrUrlInvalidProblem"];
            };
        };
        /** @description Unprocessable Entity: E_VALIDATION_FAILURE. */
        ValidationFailure: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ValidationFailureProblem"];
            };
        };
    };
    parameters: {
        DeliveryId: number;
        /** @description `input`, `backing-input`, or a sound of the result by the name that it has in `loudness`. */
        File: string;
        Id: number;
        /** @description The same key makes the same request happen once, for a day. */
        IdempotencyKey: string;
        /** @description Nothing is sent when it still is this one. */
        IfNoneMatch: string;
        /** @description The last event that was seen; only later ones are sent. */
        LastEventID: string;
        /** @description By creation: oldest or newest first. */
        Order: "asc" | "desc";
        /** @description Counts from 1. */
        Page: number;
        /** @description Records on a page; more than 1000 gives 1000. */
        PerPage: number;
        /** @description Moments; never more than there are frames. */
        Points: number;
        /** @description `wait=N` answers once the job has ended, after N seconds (at most 60) at the latest. */
        Prefer: string;
        /** @description Only jobs that stand like this. */
        Status: "running" | "success" | "error" | "cancelled";
        Target: string;
        /** @description The version of the protocol. */
        TusResumable: "1.0.0";
        /** @description Only this user's, by name. */
        User: string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description Finds the request in the server's log.
         * @example 4f1d…
         */
        RequestId: string;
        /**
         * @description The limit that counts this request, when one does: requests (q) in seconds (w).
         * @example "create";q=60;w=60
         */
        RateLimitPolicy: string;
        /**
         * @description What is left of it (r), and seconds until it is whole again (t).
         * @example "create";r=59;t=1
         */
        RateLimit: string;
        /** @description The same for older clients: requests, requests left, seconds until all are there again. */
        RateLimitCount: number;
        /** @description `bytes`, or `none` for an archive. */
        AcceptRanges: string;
        /** @description Always private. */
        CacheControl: string;
        /** @description A name to keep it under. */
        ContentDisposition: string;
        /** @description Changes with the content. */
        ETag: string;
        /** @description The first, previous, next and last page (RFC 8288). */
        Link: string;
        /** @description Its own address. */
        Location: string;
        /** @description The version of the protocol. */
        TusResumable: string;
        /** @description When it is forgotten. */
        UploadExpires: string;
        /** @description How many bytes have arrived. */
        UploadOffset: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listVoiceConversions: {
        parameters: {
            query?: {
                /** @description By creation: oldest or newest first. */
                order?: components["parameters"]["Order"];
                /** @description Counts from 1. */
                page?: components["parameters"]["Page"];
                /** @description Records on a page; more than 100 gives 100. */
                perPage?: number;
                /** @description Only jobs that stand like this. */
                status?: components["parameters"]["Status"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["VoiceConversion"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createVoiceConversion: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` answers once the job has ended, after N seconds (at most 60) at the latest. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: int64 */
                    voiceModelId: number;
                    /**
                     * Format: binary
                     * @description wav, mp3 or flac of at most 100 MB; its bytes say which.
                     */
                    soundFile: Blob;
                    /**
                     * Format: binary
                     * @description Goes under the converted voice; formats and size as of `soundFile`.
                     */
                    backingSoundFile?: Blob;
                    /**
                     * @description How much of the model's accent is taken.
                     * @default 0.5
                     */
                    conversionStrength?: number;
                    /**
                     * @description 0 keeps the input's dynamics, 1 takes the model's loudness.
                     * @default 0.5
                     */
                    modelVolumeMix?: number;
                    /**
                     * @description In semitones; fractions are fine.
                     * @default 0
                     */
                    pitchShift?: number;
                    /**
                     * @description Moves the pitch into the voice's register as well, by `suggestedPitchShift`.
                     * @default false
                     */
                    autoPitch?: boolean;
                    /**
                     * @description Up to 2^53 - 1.
                     * @default 0
                     */
                    seed?: number;
                    /**
                     * @description Whether what is sung is taken out of the recording, converted, and put over the rest of it again; `pre` and `post` act on the voice alone. Not together with `backingSoundFile`.
                     * @default false
                     */
                    isolateVocals?: boolean;
                    /** @description What is taken out of the voice before it is converted, and before `pre`: `lead` the voices behind the lead, `dereverb` its room, `deecho` its echo, `denoise` noise; in this order, whatever the order here. A list with commas is fine, too. With `isolateVocals` the voices behind the lead stay in the backing; everything else that is taken out is dropped. A step for which no model is installed is refused. */
                    clean?: ("lead" | "dereverb" | "deecho" | "denoise")[];
                    /**
                     * @description How the pitch is found: `auto` as the voice says, `pyin`, which needs no model, or the id of an installed F0 estimator.
                     * @default auto
                     */
                    f0Method?: string;
                    /** @description Of voices of RVC: how much of what retrieval changed reaches unvoiced frames; 0.5 protects nothing. As the voice says without it. */
                    protect?: number;
                    /** @description Of voices of RVC: number of the speaker. As the voice says without it. */
                    speakerId?: number;
                    /** @description Whether the voice is shut off where the recording is silent. Without it voices of RVC are not, as in RVC, and others are. */
                    silenceGate?: boolean;
                    /** @description Effects on the input. */
                    pre?: components["schemas"]["Chain"];
                    /** @description Effects on the output. */
                    post?: components["schemas"]["Chain"];
                    /**
                     * @description Whether a recording that is cut or damaged is refused; it is heard as far as it goes otherwise, and the record has `warnings`.
                     * @default false
                     */
                    strictInput?: boolean;
                    /** @description Your own notes, which every record of the job repeats. */
                    metadata?: {
                        [key: string]: string;
                    } | null;
                    /**
                     * @description Your jobs of a higher one go first.
                     * @default 0
                     */
                    priority?: number;
                    /**
                     * Format: uri
                     * @description Where the job's end is told, beside your webhooks; http or https, and not inside a private network.
                     */
                    webhookUrl?: string;
                    /**
                     * @description What the main files are; the MP3 goes along.
                     * @default wav24
                     * @enum {string}
                     */
                    outputFormat?: "wav16" | "wav24" | "wav32f" | "flac" | "mp3" | "opus";
                    /** @description In LUFS (ITU-R BS.1770): what the result is brought to, as far as no true peak comes over -1 dBTP. Stems share one gain, by which they add up to that. */
                    outputLoudness?: number;
                    /**
                     * @description When the MP3 that goes along with each main file is made: with the job, or when it is first asked for. As the server is set without it; always with the job where the main files are lossy themselves.
                     * @enum {string}
                     */
                    lossy?: "with-job" | "on-demand";
                    /**
                     * @description In kbit/s, for `mp3` and `opus`, each with some of these.
                     * @enum {unknown}
                     */
                    outputBitrate?: 64 | 96 | 128 | 160 | 192 | 224 | 256 | 320;
                };
            };
        };
        responses: {
            /** @description The job is in the queue. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VoiceConversion"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyInProgress"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["QuotaExceededOrTooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getVoiceConversion: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` answers once the job has ended, after N seconds (at most 60) at the latest. */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VoiceConversion"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteVoiceConversion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job and its files are gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["JobRunning"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    cancelVoiceConversion: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` answers once the job has ended, after N seconds (at most 60) at the latest. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VoiceConversion"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["IdempotencyInProgressOrJobNotRunning"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    retryVoiceConversion: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` answers once the job has ended, after N seconds (at most 60) at the latest. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new job is in the queue. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VoiceConversion"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["IdempotencyInProgressOrJobRunning"];
            410: components["responses"]["InputExpired"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["QuotaExceededOrTooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    followVoiceConversion: {
        parameters: {
            query?: never;
            header?: {
                /** @description The last event that was seen; only later ones are sent. */
                "Last-Event-ID"?: components["parameters"]["LastEventID"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["JobEvent"];
                };
            };
            /** @description Nothing more will happen. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listVocalSeparations: {
        parameters: {
            query?: {
                /** @description By creation: oldest or newest first. */
                order?: components["parameters"]["Order"];
                /** @description Counts from 1. */
                page?: components["parameters"]["Page"];
                /** @description Records on a page; more than 100 gives 100. */
                perPage?: number;
                /** @description Only jobs that stand like this. */
                status?: components["parameters"]["Status"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Separation"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createVocalSeparation: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` answers once the job has ended, after N seconds (at most 60) at the latest. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description wav, webm, mp3 or flac of at most 50 MB; its bytes say which.
                     */
                    inputFile: Blob;
                    /** @description Effects on the mix. */
                    pre?: components["schemas"]["Chain"];
                    /** @description Effects on each file. */
                    post?: components["schemas"]["Chain"];
                    /**
                     * @description Whether a recording that is cut or damaged is refused; it is heard as far as it goes otherwise, and the record has `warnings`.
                     * @default false
                     */
                    strictInput?: boolean;
                    /** @description Your own notes, which every record of the job repeats. */
                    metadata?: {
                        [key: string]: string;
                    } | null;
                    /**
                     * @description Your jobs of a higher one go first.
                     * @default 0
                     */
                    priority?: number;
                    /**
                     * Format: uri
                     * @description Where the job's end is told, beside your webhooks; http or https, and not inside a private network.
                     */
                    webhookUrl?: string;
                    /** @description Which stems to make; all without it. */
                    stems?: ("vocals" | "harmony" | "reverb" | "backing")[];
                    /**
                     * @description What the main files are; the MP3 goes along.
                     * @default wav24
                     * @enum {string}
                     */
                    outputFormat?: "wav16" | "wav24" | "wav32f" | "flac" | "mp3" | "opus";
                    /** @description In LUFS (ITU-R BS.1770): what the result is brought to, as far as no true peak comes over -1 dBTP. Stems share one gain, by which they add up to that. */
                    outputLoudness?: number;
                    /**
                     * @description When the MP3 that goes along with each main file is made: with the job, or when it is first asked for. As the server is set without it; always with the job where the main files are lossy themselves.
                     * @enum {string}
                     */
                    lossy?: "with-job" | "on-demand";
                    /**
                     * @description In kbit/s, for `mp3` and `opus`, each with some of these.
                     * @enum {unknown}
                     */
                    outputBitrate?: 64 | 96 | 128 | 160 | 192 | 224 | 256 | 320;
                };
            };
        };
        responses: {
            /** @description The job is in the queue. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Separation"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyInProgress"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["QuotaExceededOrTooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listStemSplits: {
        parameters: {
            query?: {
                /** @description By creation: oldest or newest first. */
                order?: components["parameters"]["Order"];
                /** @description Counts from 1. */
                page?: components["parameters"]["Page"];
                /** @description Records on a page; more than 100 gives 100. */
                perPage?: number;
                /** @description Only jobs that stand like this. */
                status?: components["parameters"]["Status"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Separation"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createStemSplit: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` answers once the job has ended, after N seconds (at most 60) at the latest. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description wav, webm, mp3 or flac of at most 50 MB; its bytes say which.
                     */
                    inputFile: Blob;
                    /** @description Effects on the mix. */
                    pre?: components["schemas"]["Chain"];
                    /** @description Effects on each file. */
                    post?: components["schemas"]["Chain"];
                    /**
                     * @description Whether a recording that is cut or damaged is refused; it is heard as far as it goes otherwise, and the record has `warnings`.
                     * @default false
                     */
                    strictInput?: boolean;
                    /** @description Your own notes, which every record of the job repeats. */
                    metadata?: {
                        [key: string]: string;
                    } | null;
                    /**
                     * @description Your jobs of a higher one go first.
                     * @default 0
                     */
                    priority?: number;
                    /**
                     * Format: uri
                     * @description Where the job's end is told, beside your webhooks; http or https, and not inside a private network.
                     */
                    webhookUrl?: string;
                    /** @description Which stems to make; all without it. */
                    stems?: ("vocals" | "drums" | "bass" | "other" | "backing")[];
                    /**
                     * @description What the main files are; the MP3 goes along.
                     * @default wav24
                     * @enum {string}
                     */
                    outputFormat?: "wav16" | "wav24" | "wav32f" | "flac" | "mp3" | "opus";
                    /** @description In LUFS (ITU-R BS.1770): what the result is brought to, as far as no true peak comes over -1 dBTP. Stems share one gain, by which they add up to that. */
                    outputLoudness?: number;
                    /**
                     * @description When the MP3 that goes along with each main file is made: with the job, or when it is first asked for. As the server is set without it; always with the job where the main files are lossy themselves.
                     * @enum {string}
                     */
                    lossy?: "with-job" | "on-demand";
                    /**
                     * @description In kbit/s, for `mp3` and `opus`, each with some of these.
                     * @enum {unknown}
                     */
                    outputBitrate?: 64 | 96 | 128 | 160 | 192 | 224 | 256 | 320;
                };
            };
        };
        responses: {
            /** @description The job is in the queue. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Separation"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyInProgress"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["QuotaExceededOrTooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getVocalSeparation: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` answers once the job has ended, after N seconds (at most 60) at the latest. */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Separation"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteVocalSeparation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job and its files are gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["JobRunning"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    cancelVocalSeparation: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` answers once the job has ended, after N seconds (at most 60) at the latest. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Separation"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["IdempotencyInProgressOrJobNotRunning"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    retryVocalSeparation: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` answers once the job has ended, after N seconds (at most 60) at the latest. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new job is in the queue. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Separation"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["IdempotencyInProgressOrJobRunning"];
            410: components["responses"]["InputExpired"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["QuotaExceededOrTooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    followVocalSeparation: {
        parameters: {
            query?: never;
            header?: {
                /** @description The last event that was seen; only later ones are sent. */
                "Last-Event-ID"?: components["parameters"]["LastEventID"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["JobEvent"];
                };
            };
            /** @description Nothing more will happen. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getStemSplit: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` answers once the job has ended, after N seconds (at most 60) at the latest. */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Separation"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteStemSplit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job and its files are gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["JobRunning"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    cancelStemSplit: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` answers once the job has ended, after N seconds (at most 60) at the latest. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Separation"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["IdempotencyInProgressOrJobNotRunning"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    retryStemSplit: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` answers once the job has ended, after N seconds (at most 60) at the latest. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new job is in the queue. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Separation"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["IdempotencyInProgressOrJobRunning"];
            410: components["responses"]["InputExpired"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["QuotaExceededOrTooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    followStemSplit: {
        parameters: {
            query?: never;
            header?: {
                /** @description The last event that was seen; only later ones are sent. */
                "Last-Event-ID"?: components["parameters"]["LastEventID"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["JobEvent"];
                };
            };
            /** @description Nothing more will happen. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listVoiceBlends: {
        parameters: {
            query?: {
                /** @description By creation: oldest or newest first. */
                order?: components["parameters"]["Order"];
                /** @description Counts from 1. */
                page?: components["parameters"]["Page"];
                /** @description Records on a page; more than 100 gives 100. */
                perPage?: number;
                /** @description Only jobs that stand like this. */
                status?: components["parameters"]["Status"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["VoiceBlend"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createVoiceBlend: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` answers once the job has ended, after N seconds (at most 60) at the latest. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: int64 */
                    modelId1: number;
                    /** Format: int64 */
                    modelId2: number;
                    /** Format: int64 */
                    modelId3?: number | null;
                    /** Format: int64 */
                    modelId4?: number | null;
                    /** @description Share of the first voice. The last voice gets what the others leave. */
                    alpha: number;
                    /** @description Needed with three voices or more. */
                    alpha2?: number | null;
                    /** @description Needed with four voices. */
                    alpha3?: number | null;
                    title?: string | null;
                    /** @description Your own notes, which every record of the job repeats. */
                    metadata?: {
                        [key: string]: string;
                    } | null;
                    /**
                     * @description Your jobs of a higher one go first.
                     * @default 0
                     */
                    priority?: number;
                    /**
                     * Format: uri
                     * @description Where the job's end is told, beside your webhooks; http or https, and not inside a private network.
                     */
                    webhookUrl?: string;
                };
            };
        };
        responses: {
            /** @description The job is in the queue. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VoiceBlend"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyInProgress"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["QuotaExceededOrTooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getVoiceBlend: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` answers once the job has ended, after N seconds (at most 60) at the latest. */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VoiceBlend"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteVoiceBlend: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job and its files are gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["JobRunning"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    cancelVoiceBlend: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` answers once the job has ended, after N seconds (at most 60) at the latest. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VoiceBlend"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["IdempotencyInProgressOrJobNotRunning"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    retryVoiceBlend: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` answers once the job has ended, after N seconds (at most 60) at the latest. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new job is in the queue. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VoiceBlend"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["IdempotencyInProgressOrJobRunning"];
            410: components["responses"]["InputExpired"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["QuotaExceededOrTooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    followVoiceBlend: {
        parameters: {
            query?: never;
            header?: {
                /** @description The last event that was seen; only later ones are sent. */
                "Last-Event-ID"?: components["parameters"]["LastEventID"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["JobEvent"];
                };
            };
            /** @description Nothing more will happen. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listVoiceTrainings: {
        parameters: {
            query?: {
                /** @description By creation: oldest or newest first. */
                order?: components["parameters"]["Order"];
                /** @description Counts from 1. */
                page?: components["parameters"]["Page"];
                /** @description Records on a page; more than 100 gives 100. */
                perPage?: number;
                /** @description Only jobs that stand like this. */
                status?: components["parameters"]["Status"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["VoiceTraining"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createVoiceTraining: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` answers once the job has ended, after N seconds (at most 60) at the latest. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description Recordings of the voice alone, each wav, mp3, flac or webm of at most 100 MB, or `upload:` and the id of an upload. A minute of sound is enough; of more than the operator allows, 20 minutes by default, only the first are used. */
                    soundFile: Blob[];
                    title: string;
                    tags?: string[];
                    /**
                     * @description The number of the voice to start from, or `auto`: the nearest of those that come with the server.
                     * @default auto
                     */
                    base?: "auto" | number;
                    /**
                     * @description How long it is trained: 100, 300 or 1,000 steps.
                     * @default quick
                     * @enum {string}
                     */
                    preset?: "quick" | "standard" | "long";
                    /**
                     * @description Up to 2^53 - 1.
                     * @default 0
                     */
                    seed?: number;
                    /**
                     * @description The recordings are songs: the voice is what is sung in them.
                     * @default false
                     */
                    isolateVocals?: boolean;
                    /** @description What is taken out of the voice first: `lead` the voices behind it, `dereverb` its room, `deecho` its echo, `denoise` noise; in this order. A list with commas is fine, too. A step for which no model is installed is refused. */
                    clean?: ("lead" | "dereverb" | "deecho" | "denoise")[];
                    /** @description What you declare about the voice; kept in its package, its terms and the audit log, and in those of blends of it. */
                    consent: {
                        /** @description The statement of `GET /voice-trainings/consent`, word for word. */
                        statement: string;
                        /**
                         * @description Whose declaration it is: `self`, it is your own voice; `owner-agreed`, the person whose voice it is has agreed; `licence`, the recordings are under a licence that allows it.
                         * @enum {string}
                         */
                        by: "self" | "owner-agreed" | "licence";
                        /** @description Whose voice it is. */
                        name?: string | null;
                        /** @description The token of the sentence that `consentRecording` says. */
                        token?: string | null;
                    };
                    /**
                     * Format: binary
                     * @description The sentence of `GET /voice-trainings/consent`, said by the person whose voice it is within ten minutes, or `upload:` and the id of an upload. It is compared with the recordings by a speaker encoder; what is said is not transcribed. Some servers ask for it.
                     */
                    consentRecording?: Blob;
                    /**
                     * @description Whether the recordings are kept as long as those of other jobs; they are deleted with the job's success otherwise.
                     * @default false
                     */
                    keepRecordings?: boolean;
                    /** @description Your own notes, which every record of the job repeats. */
                    metadata?: {
                        [key: string]: string;
                    } | null;
                    /**
                     * @description Your jobs of a higher one go first.
                     * @default 0
                     */
                    priority?: number;
                    /**
                     * Format: uri
                     * @description Where the job's end is told, beside your webhooks; http or https, and not inside a private network.
                     */
                    webhookUrl?: string;
                };
            };
        };
        responses: {
            /** @description The job is in the queue. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VoiceTraining"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyInProgress"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["QuotaExceededOrTooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getTrainingConsent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The statement. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        version: number;
                        /** @description To be shown to whoever declares it, and sent back word for word. */
                        statement: string;
                        /** @description What a declaration can be founded on. */
                        by: ("self" | "owner-agreed" | "licence")[];
                        /**
                         * @description Who may train voices on this server.
                         * @enum {string}
                         */
                        training: "off" | "admins" | "users" | "review";
                        /** @description Whether you may. */
                        allowed: boolean;
                        spoken: {
                            /** @description Whether a training needs it. */
                            required: boolean;
                            /** @description What the person whose voice it is says in `consentRecording`: another one each time. */
                            sentence: string;
                            /** @description Its number, four digits. */
                            number: string;
                            /** @description To be sent with the recording, as `consent.token`. */
                            token: string;
                            /**
                             * @description Until when.
                             * @example 2026-01-31 12:00:00.000000 +00:00
                             */
                            expiresAt: string;
                        };
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listLiveConversions: {
        parameters: {
            query?: {
                /** @description By creation: oldest or newest first. */
                order?: components["parameters"]["Order"];
                /** @description Counts from 1. */
                page?: components["parameters"]["Page"];
                /** @description Records on a page; more than 100 gives 100. */
                perPage?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LiveConversion"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createLiveConversion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: int64 */
                    voiceModelId: number;
                    /** @default 0 */
                    pitchShift?: number;
                    /** @default 0.5 */
                    conversionStrength?: number;
                    /** @default 0.5 */
                    modelVolumeMix?: number;
                    /** @default 0 */
                    seed?: number;
                    pre?: components["schemas"]["EffectsByName"] | components["schemas"]["EffectList"] | components["schemas"]["SavedChain"] | null;
                    post?: components["schemas"]["EffectsByName"] | components["schemas"]["EffectList"] | components["schemas"]["SavedChain"] | null;
                    /**
                     * @description `low` waits 120 ms, `balanced` 160, `best` 480.
                     * @default balanced
                     * @enum {string}
                     */
                    latency?: "low" | "balanced" | "best";
                    /** @default 48000 */
                    sampleRate?: number;
                    /**
                     * @description How samples are written both ways: mono, little-endian, whole numbers of 16 bits or floats of 32.
                     * @default s16le
                     * @enum {string}
                     */
                    sampleFormat?: "s16le" | "f32le";
                    /**
                     * @description What is kept: nothing, what comes out, or what is said, too.
                     * @default none
                     * @enum {string}
                     */
                    record?: "none" | "output" | "both";
                    /** @description The level of the speaker, as an earlier record says it. */
                    inputLevelRms?: number | null;
                    /** @default 60 */
                    maxMinutes?: number;
                };
            };
        };
        responses: {
            /** @description Its stream can be opened. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LiveConversion"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            408: components["responses"]["RequestTimeout"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["QuotaExceededOrTooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getLiveConversion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The live conversion. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LiveConversion"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteLiveConversion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    renderLiveConversion: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` answers once the job has ended, after N seconds (at most 60) at the latest. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: int64
                     * @description Without it the voice of the live conversion.
                     */
                    voiceModelId?: number;
                    /** @description How much of the model's accent is taken. */
                    conversionStrength?: number;
                    /** @description 0 keeps the input's dynamics, 1 takes the model's loudness. */
                    modelVolumeMix?: number;
                    /** @description In semitones; fractions are fine. */
                    pitchShift?: number;
                    /**
                     * @description Moves the pitch into the voice's register as well, by `suggestedPitchShift`.
                     * @default false
                     */
                    autoPitch?: boolean;
                    /** @description Up to 2^53 - 1. */
                    seed?: number;
                    /**
                     * @description Whether what is sung is taken out of the recording, converted, and put over the rest of it again; `pre` and `post` act on the voice alone. Not together with `backingSoundFile`.
                     * @default false
                     */
                    isolateVocals?: boolean;
                    /** @description What is taken out of the voice before it is converted, and before `pre`: `lead` the voices behind the lead, `dereverb` its room, `deecho` its echo, `denoise` noise; in this order, whatever the order here. A list with commas is fine, too. With `isolateVocals` the voices behind the lead stay in the backing; everything else that is taken out is dropped. A step for which no model is installed is refused. */
                    clean?: ("lead" | "dereverb" | "deecho" | "denoise")[];
                    /**
                     * @description How the pitch is found: `auto` as the voice says, `pyin`, which needs no model, or the id of an installed F0 estimator.
                     * @default auto
                     */
                    f0Method?: string;
                    /** @description Of voices of RVC: how much of what retrieval changed reaches unvoiced frames; 0.5 protects nothing. As the voice says without it. */
                    protect?: number;
                    /** @description Of voices of RVC: number of the speaker. As the voice says without it. */
                    speakerId?: number;
                    /** @description Whether the voice is shut off where the recording is silent. Without it voices of RVC are not, as in RVC, and others are. */
                    silenceGate?: boolean;
                    /** @description Effects on the input. */
                    pre?: components["schemas"]["Chain"];
                    /** @description Effects on the output. */
                    post?: components["schemas"]["Chain"];
                    /**
                     * @description Whether a recording that is cut or damaged is refused; it is heard as far as it goes otherwise, and the record has `warnings`.
                     * @default false
                     */
                    strictInput?: boolean;
                    /** @description Your own notes, which every record of the job repeats. */
                    metadata?: {
                        [key: string]: string;
                    } | null;
                    /**
                     * @description Your jobs of a higher one go first.
                     * @default 0
                     */
                    priority?: number;
                    /**
                     * Format: uri
                     * @description Where the job's end is told, beside your webhooks; http or https, and not inside a private network.
                     */
                    webhookUrl?: string;
                    /**
                     * @description What the main files are; the MP3 goes along.
                     * @default wav24
                     * @enum {string}
                     */
                    outputFormat?: "wav16" | "wav24" | "wav32f" | "flac" | "mp3" | "opus";
                    /** @description In LUFS (ITU-R BS.1770): what the result is brought to, as far as no true peak comes over -1 dBTP. Stems share one gain, by which they add up to that. */
                    outputLoudness?: number;
                    /**
                     * @description When the MP3 that goes along with each main file is made: with the job, or when it is first asked for. As the server is set without it; always with the job where the main files are lossy themselves.
                     * @enum {string}
                     */
                    lossy?: "with-job" | "on-demand";
                    /**
                     * @description In kbit/s, for `mp3` and `opus`, each with some of these.
                     * @enum {unknown}
                     */
                    outputBitrate?: 64 | 96 | 128 | 160 | 192 | 224 | 256 | 320;
                };
            };
        };
        responses: {
            /** @description The job is in the queue. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VoiceConversion"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyInProgressOrNotRecorded"];
            410: components["responses"]["InputExpired"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["QuotaExceededOrTooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    openLiveStream: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream is open. */
            101: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description websocket */
                    Upgrade: string;
                    /** @description The answer to the client's key. */
                    "Sec-WebSocket-Accept": string;
                    /** @description vocalhost.live.v1 */
                    "Sec-WebSocket-Protocol": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            409: components["responses"]["LiveNotWaiting"];
            422: components["responses"]["ValidationFailure"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getVoiceTraining: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` answers once the job has ended, after N seconds (at most 60) at the latest. */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VoiceTraining"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteVoiceTraining: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job and its files are gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["JobRunning"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    cancelVoiceTraining: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` answers once the job has ended, after N seconds (at most 60) at the latest. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VoiceTraining"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["IdempotencyInProgressOrJobNotRunning"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    retryVoiceTraining: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` answers once the job has ended, after N seconds (at most 60) at the latest. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new job is in the queue. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VoiceTraining"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["IdempotencyInProgressOrJobRunning"];
            410: components["responses"]["InputExpired"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["QuotaExceededOrTooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    followVoiceTraining: {
        parameters: {
            query?: never;
            header?: {
                /** @description The last event that was seen; only later ones are sent. */
                "Last-Event-ID"?: components["parameters"]["LastEventID"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["JobEvent"];
                };
            };
            /** @description Nothing more will happen. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listVoiceModels: {
        parameters: {
            query?: {
                /** @description By creation: oldest or newest first. */
                order?: components["parameters"]["Order"];
                /** @description Counts from 1. */
                page?: components["parameters"]["Page"];
                /** @description Records on a page; more than 1000 gives 1000. */
                perPage?: number;
                /** @description Only your own. */
                myModels?: boolean;
                /** @description Only instruments. */
                instruments?: boolean;
                /** @description Part of the title. */
                q?: string;
                /** @description Only voices with this tag. */
                tag?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["VoiceModel"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    importVoiceModel: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description A checkpoint, an ONNX graph, a package that was exported, or an archive (ZIP) with a checkpoint or graph and its index at most beside what is passed over; its bytes say which.
                     */
                    modelFile: Blob;
                    /**
                     * Format: binary
                     * @description The retrieval index of a voice.
                     */
                    indexFile?: Blob;
                    /**
                     * Format: binary
                     * @description What belongs to a model of several files: more graphs or checkpoints, weights of a graph, settings. Where several could be meant, each is known by the name that it comes with.
                     */
                    modelFile2?: Blob;
                    /** Format: binary */
                    modelFile3?: Blob;
                    /** Format: binary */
                    modelFile4?: Blob;
                    /** Format: binary */
                    modelFile5?: Blob;
                    /** Format: binary */
                    modelFile6?: Blob;
                    /** Format: binary */
                    modelFile7?: Blob;
                    /** Format: binary */
                    modelFile8?: Blob;
                    title?: string;
                    /** @description With commas between them; may be repeated. */
                    tags?: string;
                    /** @description The id of a package that is no voice. */
                    packageId?: string;
                    license?: string;
                    /** @description Who must be named. */
                    attribution?: string;
                    trainedOn?: string;
                    /** @description How the owner of the voice agreed. */
                    consent?: string;
                    sourceUrl?: string;
                    /** @description What only a person can know of the model, by the names of the questions. */
                    answers?: {
                        [key: string]: string;
                    };
                    /**
                     * Format: binary
                     * @description A picture: PNG, JPEG or WebP of at most 8 MB and 4,096 pixels a side.
                     */
                    imageFile?: Blob;
                    /**
                     * Format: binary
                     * @description A recording: wav, mp3 or flac of at most 20 MB.
                     */
                    demoFile?: Blob;
                };
            };
        };
        responses: {
            /** @description The voice, yours alone. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedVoiceModel"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyInProgress"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["QuotaExceededOrTooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getVoiceModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The voice. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VoiceModelWithTerms"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteOwnVoiceModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone, with its files. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["JobRunning"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    changeOwnVoiceModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    title?: string;
                    tags?: string[];
                };
                "multipart/form-data": {
                    title?: string;
                    /** @description With commas between them; may be repeated. */
                    tags?: string;
                    /**
                     * Format: binary
                     * @description A picture: PNG, JPEG or WebP of at most 8 MB and 4,096 pixels a side.
                     */
                    imageFile?: Blob;
                    /**
                     * Format: binary
                     * @description A recording: wav, mp3 or flac of at most 20 MB.
                     */
                    demoFile?: Blob;
                };
            };
        };
        responses: {
            /** @description The voice as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VoiceModel"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["ModelNotImported"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["QuotaExceededOrTooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listEffects: {
        parameters: {
            query?: {
                /** @description By creation: oldest or newest first. */
                order?: components["parameters"]["Order"];
                /** @description Counts from 1. */
                page?: components["parameters"]["Page"];
                /** @description Records on a page; more than 1000 gives 1000. */
                perPage?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Effect"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getEffectComponent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Nothing is sent when it still is this one. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The WebAssembly component. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    /** @description The SHA-256 of the component. */
                    ETag: string;
                    /** @description It has to be asked for anew. */
                    "Cache-Control": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/wasm": Blob;
                };
            };
            /** @description It still is the one that you have. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description You. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: {
                            /** Format: int64 */
                            id: number;
                            name: string;
                        };
                        key: {
                            /** @description The part of the key before the dot. */
                            id: string;
                            label: string;
                            scopes: ("read" | "write" | "admin")[];
                            /** @example 2026-01-31 12:00:00.000000 +00:00 */
                            createdAt: string;
                            /** @example 2026-01-31 12:00:00.000000 +00:00 */
                            expiresAt: string | null;
                            /**
                             * @description To the minute.
                             * @example 2026-01-31 12:00:00.000000 +00:00
                             */
                            lastUsedAt: string | null;
                        };
                        rateLimits: {
                            create: {
                                perMinute: number;
                                remaining: number;
                            } | null;
                            read: {
                                perMinute: number;
                                remaining: number;
                            } | null;
                        };
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getUsage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What you have used. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        storage: {
                            bytes: number;
                            /** @description null when there is none. */
                            quotaBytes: number | null;
                        };
                        audio: {
                            /** @description The days that are counted, today among them. */
                            days: number;
                            minutes: number;
                            /** @description null when there is none. */
                            quotaMinutes: number | null;
                            /** @description Jobs that were accepted in these days. */
                            jobs: number;
                        };
                        jobs: {
                            running: number;
                            maxRunning: number;
                            queued: number;
                            maxQueued: number;
                            /** @description Jobs whose records are there. */
                            byKind: {
                                [key: string]: {
                                    running: number;
                                    success: number;
                                    error: number;
                                    cancelled: number;
                                };
                            };
                        };
                        rateLimits: {
                            create: {
                                perMinute: number;
                                remaining: number;
                            } | null;
                            read: {
                                perMinute: number;
                                remaining: number;
                            } | null;
                        };
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description By creation: oldest or newest first. */
                order?: components["parameters"]["Order"];
                /** @description Counts from 1. */
                page?: components["parameters"]["Page"];
                /** @description Records on a page; more than 1000 gives 1000. */
                perPage?: components["parameters"]["PerPage"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ListedConsoleSession"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    revokeSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It has ended. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listAuditLog: {
        parameters: {
            query?: {
                /** @description By creation: oldest or newest first. */
                order?: components["parameters"]["Order"];
                /** @description Counts from 1. */
                page?: components["parameters"]["Page"];
                /** @description Records on a page; more than 1000 gives 1000. */
                perPage?: components["parameters"]["PerPage"];
                /** @description Only what this user did, by name. */
                user?: string;
                /** @description Only this action. */
                action?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AuditLine"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listInstalledEffects: {
        parameters: {
            query?: {
                /** @description By creation: oldest or newest first. */
                order?: components["parameters"]["Order"];
                /** @description Counts from 1. */
                page?: components["parameters"]["Page"];
                /** @description Records on a page; more than 1000 gives 1000. */
                perPage?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["InstalledEffect"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    installEffect: {
        parameters: {
            query?: {
                /** @description A limit of its own. */
                memoryBytes?: number;
                /** @description A limit of its own: seconds per second of sound. */
                workPerAudio?: number;
                /** @description Install it although its id belongs to a key. What comes this way is signed by nobody. */
                trust?: boolean;
            };
            header?: {
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/wasm": Blob;
            };
        };
        responses: {
            /** @description It was installed already. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstalledEffect"];
                };
            };
            /** @description It is installed. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstalledEffect"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["EffectIdTakenOrEffectVersionTakenOrIdempotencyInProgress"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["QuotaExceededOrTooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getInstalledEffect: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The effect. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstalledEffect"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    removeInstalledEffect: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["EffectBuiltIn"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    changeInstalledEffect: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    enabled?: boolean;
                    /** @description null for the settings' limit. */
                    memoryBytes?: number | null;
                    /** @description null for the settings' limit. */
                    workPerAudio?: number | null;
                };
            };
        };
        responses: {
            /** @description The effect as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstalledEffect"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["EffectBuiltIn"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listAllJobs: {
        parameters: {
            query?: {
                /** @description By creation: oldest or newest first. */
                order?: components["parameters"]["Order"];
                /** @description Counts from 1. */
                page?: components["parameters"]["Page"];
                /** @description Records on a page; more than 1000 gives 1000. */
                perPage?: components["parameters"]["PerPage"];
                /** @description Only this user's, by name. */
                user?: components["parameters"]["User"];
                /** @description Only of this kind. */
                kind?: "voice-conversions" | "vocal-separations" | "stem-splits" | "voice-blender" | "voice-trainings";
                /** @description Only with this status. */
                status?: "running" | "success" | "error" | "cancelled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ListedJob"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getAnyJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedJob"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteAnyJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone, with its files. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["JobRunning"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    cancelAnyJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedJob"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["IdempotencyInProgressOrJobNotRunning"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    requeueJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedJob"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["IdempotencyInProgressOrJobNotRunning"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /** @description By creation: oldest or newest first. */
                order?: components["parameters"]["Order"];
                /** @description Counts from 1. */
                page?: components["parameters"]["Page"];
                /** @description Records on a page; more than 1000 gives 1000. */
                perPage?: components["parameters"]["PerPage"];
                /** @description Only this user's, by name. */
                user?: components["parameters"]["User"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Key"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The user is made when there is none of that name. */
                    user: string;
                    label?: string | null;
                    /**
                     * @default [
                     *       "read",
                     *       "write"
                     *     ]
                     */
                    scopes?: ("read" | "write" | "admin")[] | null;
                    expiresInDays?: number | null;
                };
            };
        };
        responses: {
            /** @description The key, the only time that it is shown. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            408: components["responses"]["RequestTimeout"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It works no more. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["LastAdmin"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description How long the old key works on.
                     * @default 0
                     */
                    graceSeconds?: number | null;
                };
            };
        };
        responses: {
            /** @description The new key, the only time that it is shown. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            408: components["responses"]["RequestTimeout"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listAllVoiceModels: {
        parameters: {
            query?: {
                /** @description By creation: oldest or newest first. */
                order?: components["parameters"]["Order"];
                /** @description Counts from 1. */
                page?: components["parameters"]["Page"];
                /** @description Records on a page; more than 1000 gives 1000. */
                perPage?: components["parameters"]["PerPage"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ListedVoiceModel"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    importModel: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description A checkpoint, an ONNX graph, a package that was exported, or an archive (ZIP) with a checkpoint or graph and its index at most beside what is passed over; its bytes say which.
                     */
                    modelFile: Blob;
                    /**
                     * Format: binary
                     * @description The retrieval index of a voice.
                     */
                    indexFile?: Blob;
                    /**
                     * Format: binary
                     * @description What belongs to a model of several files: more graphs or checkpoints, weights of a graph, settings. Where several could be meant, each is known by the name that it comes with.
                     */
                    modelFile2?: Blob;
                    /** Format: binary */
                    modelFile3?: Blob;
                    /** Format: binary */
                    modelFile4?: Blob;
                    /** Format: binary */
                    modelFile5?: Blob;
                    /** Format: binary */
                    modelFile6?: Blob;
                    /** Format: binary */
                    modelFile7?: Blob;
                    /** Format: binary */
                    modelFile8?: Blob;
                    title?: string;
                    /** @description With commas between them; may be repeated. */
                    tags?: string;
                    /** @description The id of a package that is no voice. */
                    packageId?: string;
                    license?: string;
                    /** @description Who must be named. */
                    attribution?: string;
                    trainedOn?: string;
                    /** @description How the owner of the voice agreed. */
                    consent?: string;
                    sourceUrl?: string;
                    /** @description What only a person can know of the model, by the names of the questions. */
                    answers?: {
                        [key: string]: string;
                    };
                    /**
                     * Format: binary
                     * @description A picture: PNG, JPEG or WebP of at most 8 MB and 4,096 pixels a side.
                     */
                    imageFile?: Blob;
                    /**
                     * Format: binary
                     * @description A recording: wav, mp3 or flac of at most 20 MB.
                     */
                    demoFile?: Blob;
                };
            };
        };
        responses: {
            /** @description The model, everybody's. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedModel"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyInProgressOrModelIdTaken"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["QuotaExceededOrTooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getAnyVoiceModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The voice. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedVoiceModel"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    removeVoiceModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone, with its files. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["JobRunningOrModelNotImported"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    changeVoiceModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    enabled?: boolean | null;
                    title?: string | null;
                    public?: boolean | null;
                };
            };
        };
        responses: {
            /** @description The voice as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedVoiceModel"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["JobRunningOrModelNeverOwned"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listNodes: {
        parameters: {
            query?: {
                /** @description By creation: oldest or newest first. */
                order?: components["parameters"]["Order"];
                /** @description Counts from 1. */
                page?: components["parameters"]["Page"];
                /** @description Records on a page; more than 1000 gives 1000. */
                perPage?: components["parameters"]["PerPage"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Node"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listPackages: {
        parameters: {
            query?: {
                /** @description By creation: oldest or newest first. */
                order?: components["parameters"]["Order"];
                /** @description Counts from 1. */
                page?: components["parameters"]["Page"];
                /** @description Records on a page; more than 1000 gives 1000. */
                perPage?: components["parameters"]["PerPage"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Package"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPackage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The package. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Package"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    removePackage: {
        parameters: {
            query?: {
                /** @description Remove it although others need it. */
                force?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["ModelNeededOrModelNotImported"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description By creation: oldest or newest first. */
                order?: components["parameters"]["Order"];
                /** @description Counts from 1. */
                page?: components["parameters"]["Page"];
                /** @description Records on a page; more than 1000 gives 1000. */
                perPage?: components["parameters"]["PerPage"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["User"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            /** @description The user. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyInProgress"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user is gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["JobRunningOrLastAdmin"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    changeUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    enabled?: boolean | null;
                    maxRunning?: number | null;
                    maxQueued?: number | null;
                    storageQuotaBytes?: number | null;
                    audioMinutesQuota?: number | null;
                };
            };
        };
        responses: {
            /** @description The user as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["LastAdmin"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listPipelines: {
        parameters: {
            query?: {
                /** @description By creation: oldest or newest first. */
                order?: components["parameters"]["Order"];
                /** @description Counts from 1. */
                page?: components["parameters"]["Page"];
                /** @description Records on a page; more than 1000 gives 1000. */
                perPage?: number;
                /** @description Only your own. */
                myPipelines?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Pipeline"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createPipeline: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    chain: components["schemas"]["EffectList"];
                    /**
                     * @description Takes a key with the scope `admin`.
                     * @default false
                     */
                    shared?: boolean | null;
                };
            };
        };
        responses: {
            /** @description It is saved. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pipeline"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyInProgress"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["QuotaExceededOrTooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPipeline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pipeline. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pipeline"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    replacePipeline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Only the one of the address. */
                    name?: string;
                    chain: components["schemas"]["EffectList"];
                    /**
                     * @description Takes a key with the scope `admin`.
                     * @default false
                     */
                    shared?: boolean | null;
                };
            };
        };
        responses: {
            /** @description The pipeline as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pipeline"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            408: components["responses"]["RequestTimeout"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deletePipeline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getIndex: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The addresses. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The answer depends on `Accept`. */
                    Vary: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        name: string;
                        version: string;
                        /**
                         * Format: uri
                         * @description The root that all other paths of this document lie under.
                         */
                        api: string;
                        /**
                         * Format: uri
                         * @description This document.
                         */
                        openapi: string;
                        /**
                         * Format: uri
                         * @description How the API is used, in words.
                         */
                        documentation: string;
                    };
                    "text/html": string;
                };
            };
            /** @description The page still is the one that you have. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            500: components["responses"]["Internal"];
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.1. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            500: components["responses"]["Internal"];
        };
    };
    listDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pages, in the order in which they may be read. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            name: string;
                            title: string;
                            /** Format: uri */
                            url: string;
                        }[];
                    };
                };
            };
            500: components["responses"]["Internal"];
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                page: "start.md" | "concepts.md" | "recipes.md" | "api.md" | "clients.md" | "importing.md" | "effects.md" | "responses.md" | "plugins.md" | "effect-check.md" | "models.md" | "families.md" | "graphs.md" | "operations.md" | "scaling.md" | "comparison.md" | "installing.md" | "live.md" | "training.md" | "sandbox.md";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": Blob;
                };
            };
            404: components["responses"]["RowNotFound"];
            500: components["responses"]["Internal"];
        };
    };
    listJobs: {
        parameters: {
            query?: {
                /** @description By creation: oldest or newest first. */
                order?: components["parameters"]["Order"];
                /** @description Counts from 1. */
                page?: components["parameters"]["Page"];
                /** @description Records on a page; more than 100 gives 100. */
                perPage?: number;
                /** @description Only jobs that stand like this. */
                status?: components["parameters"]["Status"];
                /** @description Only jobs of this kind. */
                kind?: "voice-conversion" | "vocal-separation" | "stem-split" | "voice-blend" | "voice-training";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: ((components["schemas"]["VoiceConversion"] & {
                            /** @enum {string} */
                            kind: "voice-conversion" | "vocal-separation" | "stem-split" | "voice-blend" | "voice-training";
                        }) | (components["schemas"]["Separation"] & {
                            /** @enum {string} */
                            kind: "voice-conversion" | "vocal-separation" | "stem-split" | "voice-blend" | "voice-training";
                        }) | (components["schemas"]["VoiceBlend"] & {
                            /** @enum {string} */
                            kind: "voice-conversion" | "vocal-separation" | "stem-split" | "voice-blend" | "voice-training";
                        }) | (components["schemas"]["VoiceTraining"] & {
                            /** @enum {string} */
                            kind: "voice-conversion" | "vocal-separation" | "stem-split" | "voice-blend" | "voice-training";
                        }))[];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getFilesOfVoiceConversion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The archive. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": Blob;
                };
            };
            /** @description The archive is the one that the client has (If-None-Match). */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            410: components["responses"]["ResultExpired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getFilesOfVocalSeparation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The archive. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": Blob;
                };
            };
            /** @description The archive is the one that the client has (If-None-Match). */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            410: components["responses"]["ResultExpired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getFilesOfStemSplit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The archive. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": Blob;
                };
            };
            /** @description The archive is the one that the client has (If-None-Match). */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            410: components["responses"]["ResultExpired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description By creation: oldest or newest first. */
                order?: components["parameters"]["Order"];
                /** @description Counts from 1. */
                page?: components["parameters"]["Page"];
                /** @description Records on a page; more than 1000 gives 1000. */
                perPage?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: uri
                     * @description http or https, and not inside a private network.
                     */
                    url?: string | null;
                    events?: ("job.success" | "job.error" | "job.cancelled")[] | null;
                    description?: string | null;
                    enabled?: boolean | null;
                    /** @description Instead of `url`: for the addresses that jobs name themselves. */
                    forJobs?: boolean | null;
                };
            };
        };
        responses: {
            /** @description The webhook, with its secret. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: int64 */
                        id: number;
                        /** Format: uri */
                        url: string | null;
                        /** @description It signs what goes to the `webhookUrl` of jobs. */
                        forJobs: boolean;
                        /** @description None means all. */
                        events: ("job.success" | "job.error" | "job.cancelled")[];
                        description: string;
                        enabled: boolean;
                        /** @description Why the server gave up. */
                        disabledReason: string | null;
                        /** @example 2026-01-31 12:00:00.000000 +00:00 */
                        createdAt: string;
                        /** @example 2026-01-31 12:00:00.000000 +00:00 */
                        lastSuccessAt: string | null;
                        /** @description Signs what is sent; it is never shown again. */
                        secret: string;
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["IdempotencyInProgress"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["QuotaExceededOrTooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is forgotten. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    changeWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: uri
                     * @description http or https, and not inside a private network.
                     */
                    url?: string | null;
                    events?: ("job.success" | "job.error" | "job.cancelled")[] | null;
                    description?: string | null;
                    enabled?: boolean | null;
                };
            };
        };
        responses: {
            /** @description The webhook as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            408: components["responses"]["RequestTimeout"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook, with its new secret. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: int64 */
                        id: number;
                        /** Format: uri */
                        url: string | null;
                        /** @description It signs what goes to the `webhookUrl` of jobs. */
                        forJobs: boolean;
                        /** @description None means all. */
                        events: ("job.success" | "job.error" | "job.cancelled")[];
                        description: string;
                        enabled: boolean;
                        /** @description Why the server gave up. */
                        disabledReason: string | null;
                        /** @example 2026-01-31 12:00:00.000000 +00:00 */
                        createdAt: string;
                        /** @example 2026-01-31 12:00:00.000000 +00:00 */
                        lastSuccessAt: string | null;
                        /** @description Signs what is sent; it is never shown again. */
                        secret: string;
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["IdempotencyInProgress"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is on its way. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["IdempotencyInProgressOrWebhookDisabledOrWebhookWithoutUrl"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["QuotaExceededOrTooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description By creation: oldest or newest first. */
                order?: components["parameters"]["Order"];
                /** @description Counts from 1. */
                page?: components["parameters"]["Page"];
                /** @description Records on a page; more than 100 gives 100. */
                perPage?: number;
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["WebhookDelivery"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
                deliveryId: components["parameters"]["DeliveryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key makes the same request happen once, for a day. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
                deliveryId: components["parameters"]["DeliveryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is on its way again. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            409: components["responses"]["IdempotencyInProgressOrWebhookDisabled"];
            422: components["responses"]["IdempotencyKeyReusedOrValidationFailure"];
            429: components["responses"]["QuotaExceededOrTooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getVoiceConversionPeaks: {
        parameters: {
            query?: {
                /** @description `input`, `backing-input`, or a sound of the result by the name that it has in `loudness`. */
                file?: components["parameters"]["File"];
                /** @description Moments; never more than there are frames. */
                points?: components["parameters"]["Points"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lowest and the highest sample of each moment. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Peaks"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            410: components["responses"]["InputExpiredOrResultExpired"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getVoiceConversionSpectrogram: {
        parameters: {
            query?: {
                /** @description `input`, `backing-input`, or a sound of the result by the name that it has in `loudness`. */
                file?: components["parameters"]["File"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description 1,024 by 256 pixels, without axes. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "image/png": Blob;
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            410: components["responses"]["InputExpiredOrResultExpired"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getVocalSeparationPeaks: {
        parameters: {
            query?: {
                /** @description `input`, `backing-input`, or a sound of the result by the name that it has in `loudness`. */
                file?: components["parameters"]["File"];
                /** @description Moments; never more than there are frames. */
                points?: components["parameters"]["Points"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lowest and the highest sample of each moment. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Peaks"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            410: components["responses"]["InputExpiredOrResultExpired"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getVocalSeparationSpectrogram: {
        parameters: {
            query?: {
                /** @description `input`, `backing-input`, or a sound of the result by the name that it has in `loudness`. */
                file?: components["parameters"]["File"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description 1,024 by 256 pixels, without axes. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "image/png": Blob;
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            410: components["responses"]["InputExpiredOrResultExpired"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getStemSplitPeaks: {
        parameters: {
            query?: {
                /** @description `input`, `backing-input`, or a sound of the result by the name that it has in `loudness`. */
                file?: components["parameters"]["File"];
                /** @description Moments; never more than there are frames. */
                points?: components["parameters"]["Points"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lowest and the highest sample of each moment. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Peaks"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            410: components["responses"]["InputExpiredOrResultExpired"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getStemSplitSpectrogram: {
        parameters: {
            query?: {
                /** @description `input`, `backing-input`, or a sound of the result by the name that it has in `loudness`. */
                file?: components["parameters"]["File"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description 1,024 by 256 pixels, without axes. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    [name: string]: unknown;
                };
                content: {
                    "image/png": Blob;
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            410: components["responses"]["InputExpiredOrResultExpired"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createUpload: {
        parameters: {
            query?: never;
            header: {
                /** @description The version of the protocol. */
                "Tus-Resumable"?: components["parameters"]["TusResumable"];
                /** @description Its size in bytes. What it is used for may have a smaller limit. */
                "Upload-Length": number;
                /** @description What you want to keep with it. */
                "Upload-Metadata"?: string;
                /** @description Of the body, when there is one. */
                "Upload-Checksum"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/offset+octet-stream": Blob;
            };
        };
        responses: {
            /** @description It can begin. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    Location: components["headers"]["Location"];
                    "Tus-Resumable": components["headers"]["TusResumable"];
                    "Upload-Expires": components["headers"]["UploadExpires"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ChecksumUnknown"];
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["UploadOffset"];
            412: components["responses"]["TusVersion"];
            413: components["responses"]["UploadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailure"];
            423: components["responses"]["UploadLocked"];
            429: components["responses"]["QuotaExceededOrTooManyRequests"];
            460: components["responses"]["UploadChecksum"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How far it is. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    "Upload-Offset": components["headers"]["UploadOffset"];
                    /** @description Its size. */
                    "Upload-Length": string;
                    "Upload-Expires": components["headers"]["UploadExpires"];
                    "Tus-Resumable": components["headers"]["TusResumable"];
                    /** @description Always no-store. */
                    "Cache-Control": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        bytes: number;
                        /** @description How many bytes have arrived. */
                        offset: number;
                        isComplete: boolean;
                        /** @example 2026-01-31 12:00:00.000000 +00:00 */
                        createdAt: string;
                        /** @example 2026-01-31 12:00:00.000000 +00:00 */
                        expiresAt: string;
                    };
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            412: components["responses"]["TusVersion"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteUpload: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the protocol. */
                "Tus-Resumable"?: components["parameters"]["TusResumable"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    "Tus-Resumable": components["headers"]["TusResumable"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            412: components["responses"]["TusVersion"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    continueUpload: {
        parameters: {
            query?: never;
            header: {
                /** @description The version of the protocol. */
                "Tus-Resumable"?: components["parameters"]["TusResumable"];
                /** @description How many bytes have arrived. */
                "Upload-Offset": number;
                /** @description Of this piece. */
                "Upload-Checksum"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/offset+octet-stream": Blob;
            };
        };
        responses: {
            /** @description The piece has arrived. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitCount"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitCount"];
                    "Upload-Offset": components["headers"]["UploadOffset"];
                    "Upload-Expires": components["headers"]["UploadExpires"];
                    "Tus-Resumable": components["headers"]["TusResumable"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ChecksumUnknown"];
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            404: components["responses"]["RowNotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["UploadOffset"];
            412: components["responses"]["TusVersion"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailure"];
            423: components["responses"]["UploadLocked"];
            429: components["responses"]["TooManyRequests"];
            460: components["responses"]["UploadChecksum"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Part of the file (RFC 9110, 14). */
                Range?: string;
                /** @description Nothing is sent when it still is this one. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description All of it is sent when it no longer is this one. */
                "If-Range"?: string;
            };
            path: {
                expiry: string;
                signature: string;
                target: components["parameters"]["Target"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. One that is made when it is first asked for is sent while it is made, without its length. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Changes with the content. */
                    ETag?: string;
                    "Content-Disposition": components["headers"]["ContentDisposition"];
                    "Accept-Ranges": components["headers"]["AcceptRanges"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    [name: string]: unknown;
                };
                content: {
                    "audio/wav": Blob;
                    "audio/mpeg": Blob;
                    "audio/flac": Blob;
                    "audio/ogg": Blob;
                    "image/png": Blob;
                    "image/jpeg": Blob;
                    "image/svg+xml": Blob;
                    "image/webp": Blob;
                    "application/zip": Blob;
                    "application/octet-stream": Blob;
                };
            };
            /** @description The part that was asked for. */
            206: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    "Content-Disposition": components["headers"]["ContentDisposition"];
                    "Accept-Ranges": components["headers"]["AcceptRanges"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    [name: string]: unknown;
                };
                content: {
                    "audio/wav": Blob;
                    "audio/mpeg": Blob;
                    "audio/flac": Blob;
                    "audio/ogg": Blob;
                    "image/png": Blob;
                    "image/jpeg": Blob;
                    "image/svg+xml": Blob;
                    "image/webp": Blob;
                    "application/zip": Blob;
                    "application/octet-stream": Blob;
                };
            };
            /** @description It still is the one that you have. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            403: components["responses"]["UrlExpiredOrUrlInvalid"];
            404: components["responses"]["RowNotFound"];
            410: components["responses"]["ResultExpired"];
            416: components["responses"]["RangeNotSatisfiable"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getConsoleAsset: {
        parameters: {
            query?: never;
            header?: {
                /** @description Nothing is sent when it still is this one. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                target: components["parameters"]["Target"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    /** @description It never changes under this name. */
                    "Cache-Control": string;
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript": Blob;
                    "text/css": Blob;
                    "text/plain": Blob;
                    "application/json": Blob;
                    "application/wasm": Blob;
                    "image/svg+xml": Blob;
                    "image/png": Blob;
                    "image/webp": Blob;
                    "font/woff2": Blob;
                };
            };
            /** @description It still is the one that you have. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            404: components["responses"]["RowNotFound"];
            500: components["responses"]["Internal"];
        };
    };
    getConsoleConfig: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What it has to know. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        version: string;
                        /** @description The API's root, relative to the page. */
                        apiRoot: string;
                        /**
                         * Format: uri
                         * @description What links in answers begin with.
                         */
                        publicUrl: string;
                        /**
                         * @description Which part of the API this listener serves.
                         * @enum {string}
                         */
                        surface: "whole" | "clients" | "operators";
                        /** @description Whether no key was ever used: the first one was printed when the server started. */
                        firstStart: boolean;
                    };
                };
            };
            500: components["responses"]["Internal"];
        };
    };
    getConsoleSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description You. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsoleSession"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
        };
    };
    openConsoleSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    key: string;
                };
            };
        };
        responses: {
            /** @description You. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description The session, for browsers alone. */
                    "Set-Cookie": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsoleSession"];
                };
            };
            401: components["responses"]["UnauthorizedAccess"];
            403: components["responses"]["ForbiddenException"];
            408: components["responses"]["RequestTimeout"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailure"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    closeConsoleSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Nobody is signed in any more. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    /** @description Takes the cookie away. */
                    "Set-Cookie": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            403: components["responses"]["ForbiddenException"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The figures. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": Blob;
                    "application/openmetrics-text": Blob;
                };
            };
            500: components["responses"]["Internal"];
        };
    };
    isAlive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                    };
                };
            };
            500: components["responses"]["Internal"];
        };
    };
    isReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                        checks: {
                            database: boolean;
                            /** @description There are processes to run jobs, or the server leaves jobs to others. */
                            workers: boolean;
                            /** @description The store of recordings and results answers. */
                            files: boolean;
                            /** @description The disk has as much room as has to stay free. */
                            storage: boolean;
                            /** @description The server is not about to stop. */
                            accepting: boolean;
                        };
                    };
                };
            };
            500: components["responses"]["Internal"];
            /** @description It does not. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "unavailable";
                        checks: {
                            database: boolean;
                            /** @description There are processes to run jobs, or the server leaves jobs to others. */
                            workers: boolean;
                            /** @description The store of recordings and results answers. */
                            files: boolean;
                            /** @description The disk has as much room as has to stay free. */
                            storage: boolean;
                            /** @description The server is not about to stop. */
                            accepting: boolean;
                        };
                    };
                };
            };
        };
    };
    onJob_success: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every attempt to deliver this event. */
                "webhook-id": string;
                /** @description Seconds since the Unix epoch. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body` (Standard Webhooks). */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    type: "job.success";
                    /** @description When it happened. */
                    timestamp: string;
                    /** @description The record of the job, as it is read at its own address. */
                    data: components["schemas"]["VoiceConversion"] | components["schemas"]["Separation"] | components["schemas"]["VoiceBlend"] | components["schemas"]["VoiceTraining"];
                };
            };
        };
        responses: {
            /** @description It was received; anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onJob_error: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every attempt to deliver this event. */
                "webhook-id": string;
                /** @description Seconds since the Unix epoch. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body` (Standard Webhooks). */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    type: "job.error";
                    /** @description When it happened. */
                    timestamp: string;
                    /** @description The record of the job, as it is read at its own address. */
                    data: components["schemas"]["VoiceConversion"] | components["schemas"]["Separation"] | components["schemas"]["VoiceBlend"] | components["schemas"]["VoiceTraining"];
                };
            };
        };
        responses: {
            /** @description It was received; anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onJob_cancelled: {
        parameters: {
            query?: never;
            header: {
                /** @description The same for every attempt to deliver this event. */
                "webhook-id": string;
                /** @description Seconds since the Unix epoch. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body` (Standard Webhooks). */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    type: "job.cancelled";
                    /** @description When it happened. */
                    timestamp: string;
                    /** @description The record of the job, as it is read at its own address. */
                    data: components["schemas"]["VoiceConversion"] | components["schemas"]["Separation"] | components["schemas"]["VoiceBlend"] | components["schemas"]["VoiceTraining"];
                };
            };
        };
        responses: {
            /** @description It was received; anything else is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
