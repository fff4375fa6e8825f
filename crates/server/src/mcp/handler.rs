//! The protocol: which request goes where.
//!
//! What a tool cannot do is an answer for the model, with what to do next. Only
//! anything but a request for a tool is an error of the protocol.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult,
    ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};

use super::answer::{Answer, ToolError};
use super::arguments::Arguments;
use super::job::Job;
use super::{Mcp, prompt, resources, tools};

/// What a model is told about this server.
const INSTRUCTIONS: &str = "Context within budgets: pack or search first, outline and read for \
                            detail. Answers end with a cursor where there is more. Paths start \
                            at the project's root.";

/// Methods that are known, so that what is wrong must be what they are given.
const KNOWN: [&str; 5] =
    ["tools/call", "tools/list", "prompts/get", "resources/read", "initialize"];

/// The first revision in which an answer may hold a link to a resource.
const LINKS_SINCE: &str = "2025-06-18";

type Context = RequestContext<RoleServer>;

impl ServerHandler for Mcp {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        let server = Implementation::new("loadline", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities).with_server_info(server).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::list().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.into_owned();
        if !tools::exists(&name) {
            let name: String = name.chars().take(80).collect();
            let known = tools::names();
            let message = format!("unknown tool {name:?}; available tools: {known}");
            return Err(ErrorData::invalid_params(message, None));
        }
        let arguments = Arguments::new(request.arguments);
        let work = move |job: &Job| tools::call(&name, job, &arguments);
        let takes_links = knows_links(&context);
        let result = match self.run(&context, work).await {
            Ok(answer) if takes_links => CallToolResult::from(answer),
            Ok(answer) => CallToolResult::from(Answer::from(answer.text)),
            Err(error) => CallToolResult::from(error),
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let work = |job: &Job| Ok(resources::list(&job.state));
        let listed = self.run(&context, work).await.map_err(internal)?;
        Ok(ListResourcesResult::with_all_items(listed))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = resources::templates();
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let work = move |job: &Job| resources::read(job, &request.uri);
        let contents = self.run(&context, work).await;
        let contents = contents.map_err(|error| ErrorData::resource_not_found(error.0, None))?;
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompt::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        if !prompt::exists(&request.name) {
            let name: String = request.name.chars().take(80).collect();
            let message = format!("unknown prompt {name:?}; available prompt: handoff");
            return Err(ErrorData::invalid_params(message, None));
        }
        let arguments = Arguments::new(request.arguments);
        let work = move |job: &Job| prompt::get(job, &arguments);
        let result = self.run(&context, work).await;
        let result = result.map_err(|error| ErrorData::invalid_params(error.0, None))?;
        Ok(result.into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: Context,
    ) -> Result<CustomResult, ErrorData> {
        let method: String = request.method.chars().take(80).collect();
        if KNOWN.contains(&method.as_str()) {
            let message = format!("invalid params for {method}");
            return Err(ErrorData::invalid_params(message, None));
        }
        let message = format!("unknown method {method:?}");
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
    }
}

/// Tells whether a client is of a revision that knows links to resources; others
/// may choke on what they do not know.
fn knows_links(context: &Context) -> bool {
    let revision = context.protocol_version();
    // Revisions are dates, which sort as texts.
    revision.is_some_and(|revision| revision.as_str() >= LINKS_SINCE)
}

fn internal(error: ToolError) -> ErrorData {
    ErrorData::internal_error(error.0, None)
}
